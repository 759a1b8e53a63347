import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import type { ScanPosition, ScanResourceRequest } from '@billing/proto/billing/export/v1/export';
import type { Peers } from '../peer/peers';
import type { Row } from './row-format';

/** Times of exported rows: [from, to). */
export interface ExportRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Dependencies of an export. */
export interface ExportContext {
  readonly peers: Peers;
  readonly context: CallContext;
  readonly clock: Clock;
  /** Aborts when the export ends early. */
  readonly signal: AbortSignal;
}

/** A page of rows, and the position of the next one, if any. */
interface RowPage<P> {
  readonly rows: readonly Row[];
  readonly next: P | undefined;
}

/** Reads the page after a position; undefined: the first page. */
export type ReadPage<P> = (after: P | undefined, context: CallContext) => Promise<RowPage<P>>;

const attemptsMax = 5;
const firstRetryMs = 250;
const pageTimeoutMs = 30_000;

/** Pages of one resource. A page is tried 5 times. */
export async function* pagesOf<P>(
  read: ReadPage<P>,
  exported: ExportContext,
): AsyncGenerator<readonly Row[]> {
  let after: P | undefined;
  do {
    const position = after;
    const page: RowPage<P> = await attempted((context) => read(position, context), exported);
    if (page.rows.length > 0) yield page.rows;
    after = page.next;
  } while (after !== undefined);
}

/** Runs a call of an export until it succeeds, at most 5 times. */
export async function attempted<T>(
  run: (context: CallContext) => Promise<T>,
  { context, clock, signal }: Pick<ExportContext, 'context' | 'clock' | 'signal'>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const deadline = new Date(clock.now().getTime() + pageTimeoutMs);
      return await run({ ...context, signal, deadline, graceMs: 0 });
    } catch (error) {
      if (attempt === attemptsMax || signal.aborted) throw error;
      await sleep(firstRetryMs * 2 ** (attempt - 1), signal);
    }
  }
}

/** Request for a page of a scan. */
export function scanRequest(
  resource: ScanResourceRequest['resource'],
  { from, to }: ExportRange,
  after: ScanPosition | undefined,
): ScanResourceRequest {
  return { resource, from, to, after };
}

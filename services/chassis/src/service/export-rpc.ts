import type { Filter } from 'mongodb';
import {
  type ExportServiceServer,
  ExportServiceService,
  type Resource,
} from '@billing/proto/billing/export/v1/export';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { type AggregateDocument, type Stored, toStored } from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { type ListFilter, shownBy } from '../aggregates/list-counts';
import { type Clock, sleep } from '../clock';
import type { CallContext } from '../grpc/call-context';
import { exportCallers } from '../grpc/callers';
import { type RpcDependencies, type RpcService, rpcService } from '../grpc/rpc';
import { retryTransient } from '../mongo/mongo';
import { type ScanPosition, scanPage, type ScanRange } from '../mongo/scan-page';

/** Page of a scan. */
export interface ScannedPage {
  /** Serialized messages. */
  readonly rows: Buffer[];
  /** Undefined on the last page. */
  readonly next: ScanPosition | undefined;
}

/** Reads the next page of a resource. */
export type Scan = (range: ScanRange, context: CallContext, clock: Clock) => Promise<ScannedPage>;

/** Documents or other items that a scan reads. */
export interface ScannedItems<T> {
  /** Reads the next items in the order of their positions, at most `limit`. */
  readonly read: (range: ScanRange, context: CallContext, limit: number) => Promise<readonly T[]>;
  readonly positionOf: (item: T) => ScanPosition;
  /** Serialized rows of each item, in order. */
  readonly rowsOf: (
    items: readonly T[],
    context: CallContext,
    range: ScanRange,
  ) => Promise<readonly (readonly Buffer[])[]>;
  /** Items of a page. Default: 100. */
  readonly pageMax?: number;
  /** Runs before the first page is read. */
  readonly begin?: (context: CallContext, clock: Clock) => Promise<void>;
  /** Runs after the last page was read. */
  readonly end?: (context: CallContext, clock: Clock) => Promise<void>;
}

/** Encodes messages of one type. */
export interface Encoder<M> {
  readonly encode: (message: M) => { readonly finish: () => Uint8Array };
}

const pageMaxDefault = 100;
// Bounds the memory of both sides; a page has at least one item.
const pageBytesMax = 4 * 1024 * 1024;
const askAgainMs = 250;
// Leaves time to answer.
const marginMs = 1_000;

/** The call by which the gateway exports the resources of a service. */
export function exportRpc(
  { clock }: { readonly clock: Clock },
  scans: Readonly<Partial<Record<Resource, Scan>>>,
): (dependencies: RpcDependencies) => RpcService {
  return rpcService<ExportServiceServer>(
    ExportServiceService,
    {
      scanResource: async ({ resource, from, to, after }, context) => {
        const scan = scans[resource];
        if (scan === undefined) throw invalidInput({ resource: ['Unknown resource'] });
        const position = after && { at: requireTime(after.at), id: after.id };
        return scan({ from, to, after: position }, context, clock);
      },
    },
    // A call that waits for events would occupy the place of another; the gateway limits exports.
    { callers: exportCallers, unlimited: ['scanResource'] },
  );
}

/** Scan of items in pages. */
export function scanOf<T>(items: ScannedItems<T>): Scan {
  const { read, positionOf, rowsOf, pageMax = pageMaxDefault, begin, end } = items;
  return async (range, context, clock) => {
    if (range.after === undefined) await begin?.(context, clock);
    const found = await read(range, context, pageMax);
    const { rows, count } = fitting(await rowsOf(found, context, range));
    const last = found[count - 1];
    const isLast = count === found.length && found.length < pageMax;
    if (isLast || last === undefined) {
      await end?.(context, clock);
      return { rows, next: undefined };
    }
    return { rows, next: positionOf(last) };
  };
}

/** Aggregates of an exported resource. */
export interface ScannedAggregates<S extends { readonly id: string }, M> {
  /** Filter of the resources that lists show. */
  readonly filter?: ListFilter;
  /** Rows of each aggregate; none for one that is not shown. */
  readonly messagesOf: (
    found: readonly Stored<S>[],
    context: CallContext,
    range: ScanRange,
  ) => readonly (readonly M[])[] | Promise<readonly (readonly M[])[]>;
  readonly encoder: Encoder<M>;
  /** Time field of the order, an own one of the documents. Default: `createdAt`. */
  readonly orderBy?: { readonly field: string; readonly timeOf: (state: S) => Date };
  /**
   * True if the range is that of the messages: aggregates of all times before its end are read.
   * Default: false.
   */
  readonly isRangeOfMessages?: boolean;
  /** Aggregates of a page. Default: 100. */
  readonly pageMax?: number;
}

/** Scan of a service's aggregates. */
export function scanAggregates<S extends { readonly id: string }, M>(
  records: AggregateCollection<S>,
  scanned: ScannedAggregates<S, M>,
): Scan {
  const { filter = {}, messagesOf, encoder, orderBy, isRangeOfMessages, pageMax } = scanned;
  const { definition, documents } = records;
  const by = orderBy?.field ?? 'createdAt';
  return scanOf<Stored<S>>({
    ...(pageMax !== undefined && { pageMax }),
    read: async (asked, { tenant: { environmentId } }, limit) => {
      const shown = { environmentId, ...shownBy(definition, filter) };
      const range = isRangeOfMessages === true ? { ...asked, from: undefined } : asked;
      const found = await scanPage(documents, { filter: shown, by, limit }, range);
      return found.map((document) => toStored(definition, document as AggregateDocument));
    },
    positionOf: ({ state, createdAt }) => ({
      at: orderBy === undefined ? createdAt : orderBy.timeOf(state),
      id: state.id,
    }),
    rowsOf: async (found, context, range) =>
      encodeAll(await messagesOf(found, context, range), encoder),
    end: (context, clock) => untilDone(records, { 'outbox.kind': 'event' }, context, clock),
  });
}

/** Serializes the messages of each item. */
export function encodeAll<M>(messages: readonly (readonly M[])[], encoder: Encoder<M>): Buffer[][] {
  return messages.map((own) => own.map((message) => Buffer.from(encoder.encode(message).finish())));
}

/** A message of each aggregate. */
export function oneEach<S extends { readonly id: string }, M>(
  toMessage: (stored: Stored<S>) => M,
): ScannedAggregates<S, M>['messagesOf'] {
  return (found) => found.map((stored) => [toMessage(stored)]);
}

/**
 * Waits until the outboxes that wait now have no entry that matches. Throws unavailable if that
 * does not happen in time: the caller retries.
 */
export async function untilDone(
  { documents }: Pick<AggregateCollection<never>, 'documents'>,
  entries: Readonly<Record<string, unknown>>,
  { tenant: { environmentId }, deadline, signal }: CallContext,
  clock: Clock,
): Promise<void> {
  const filter = { environmentId, pendingSince: { $lte: clock.now() }, ...entries };
  const until = deadline.getTime() - marginMs;
  for (;;) {
    const found = await retryTransient(() =>
      documents.findOne(filter as Filter<AggregateDocument>, { projection: { _id: 1 } }),
    );
    if (found === null) return;
    if (clock.now().getTime() > until || signal.aborted) {
      throw new DomainError('unavailable', 'EVENTS_NOT_LOGGED', 'Service unavailable');
    }
    await sleep(askAgainMs, signal);
  }
}

/** The rows of as many items as fit into a page. */
function fitting(rowsOfItems: readonly (readonly Buffer[])[]): {
  rows: Buffer[];
  count: number;
} {
  const rows: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  for (const own of rowsOfItems) {
    bytes += own.reduce((sum, row) => sum + row.length, 0);
    if (count > 0 && bytes > pageBytesMax) break;
    rows.push(...own);
    count += 1;
  }
  return { rows, count };
}

function requireTime(at: Date | undefined): Date {
  if (at === undefined) throw invalidInput({ after: ['Must have a time'] });
  return at;
}

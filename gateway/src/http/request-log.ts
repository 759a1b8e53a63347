import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { jitter, newId, newRequestId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import type { Peer } from '@billing/chassis/peer';
import { redactSecrets } from '@billing/chassis/redaction';
import { DomainError } from '@billing/kernel/domain-error';
import type {
  AuditedWrite,
  LoggedRequest,
  RequestLogServiceServer,
} from '@billing/proto/billing/identity/v1/request_log';
import { loggedBody, loggedQuery } from './logged-body';
import { isRead } from './method';

/** Displayable author of a request. */
export interface RequestAuthor {
  readonly environmentId: string;
  readonly caller: LoggedRequest['caller'];
  /** Returns the audit details after the response. Optional. */
  readonly audit?: () => AuditedWrite | undefined;
}

/** A request to the public API and its response. */
export interface AnsweredRequest extends Omit<
  LoggedRequest,
  'id' | 'caller' | 'environmentId' | 'requestBody' | 'responseBody' | 'query'
> {
  /**
   * True for frequent requests with little information, such as batches of usage events. Recorded
   * only if they fail, and without bodies.
   */
  readonly isIngest: boolean;
  /** Address as it was called; only its query is kept, without secrets. Optional. */
  readonly url?: string | undefined;
  /** Bodies as they were read and sent; only their secrets-free copies are kept. */
  readonly bodies?: { readonly request: unknown; readonly response: unknown } | undefined;
}

/** Dependencies of the log. */
export interface RequestLogDependencies {
  readonly record: Peer<RequestLogServiceServer>['recordRequests'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'recordDroppedRequests'>;
  readonly gatherMs?: number;
  /** Pause after the first failure of a series. */
  readonly pauseMs?: number;
}

const gatherMsDefault = 1_000;
const pauseMsDefault = 1_000;
const pauseMsMax = 30_000;
const batchMax = 100;
// Enough for some seconds of a busy gateway. Each entry takes about 500 bytes without its bodies.
const waitingMax = 2_000;
// Characters of the bodies of all waiting entries; further entries are recorded without bodies.
const waitingBodiesMax = 8 * 1024 * 1024;
// Characters of the bodies of one call. With three bytes each they stay below its largest message.
const sentBodiesMax = 1024 * 1024;
const recordTimeoutMs = 5_000;
const closeTimeoutMs = 3_000;
const recentMs = 10 * 60_000;
const minuteMs = 60_000;
const pathLengthMax = 500;

/**
 * Records writes and failed requests of the public API for people. Entries are sent in the
 * background in batches after the response, so that no request waits for or fails because of the
 * log. Entries beyond the buffer are dropped and counted. Failures are retried with a growing
 * pause.
 */
export class RequestLog {
  private readonly waiting: LoggedRequest[] = [];
  private readonly stopping = new AbortController();
  /** Aborted when a batch is full. */
  private full = new AbortController();
  private sending: Promise<void> | undefined;
  /** Number of consecutive failures. */
  private failures = 0;
  // Dropped requests by minute of real time.
  private readonly dropped = new Map<number, number>();
  // Keeps background calls out of the traces of requests.
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly dependencies: RequestLogDependencies) {}

  /** Records a request and returns immediately. Successful reads are not recorded. */
  record(
    { isIngest, url, bodies, ...answered }: AnsweredRequest,
    author: Omit<RequestAuthor, 'audit'>,
  ): void {
    const isFailure = answered.status >= 400;
    if (!isFailure && (isIngest || isRead(answered.method))) return;
    if (this.waiting.length >= waitingMax) {
      this.drop([answered]);
      return;
    }
    const path = redactSecrets(answered.path).slice(0, pathLengthMax);
    const shown = isIngest || bodies === undefined ? noBodies : this.shownBodies(bodies);
    const query = isIngest || url === undefined ? undefined : loggedQuery(url);
    this.waiting.push({ id: newId(), ...answered, ...author, path, query, ...shown });
    if (this.waiting.length >= batchMax) this.full.abort();
    this.sending ??= this.outside(() => this.sendAll());
  }

  /** Number of requests dropped in the last minutes. */
  get droppedRecently(): number {
    this.forgetDrops();
    return [...this.dropped.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Sends the remaining entries within a short time. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.full.abort();
    await Promise.race([this.sending, sleep(closeTimeoutMs)]);
    if (this.waiting.length > 0) this.drop(this.waiting.splice(0));
  }

  private async sendAll(): Promise<void> {
    const { gatherMs = gatherMsDefault } = this.dependencies;
    while (this.waiting.length > 0) {
      await sleep(gatherMs, this.full.signal);
      await this.pause();
      await this.send(this.nextBatch());
      const isMore = this.waiting.length >= batchMax || this.stopping.signal.aborted;
      if (!isMore) this.full = new AbortController();
    }
    // Set in the same tick as the check above, so that the next entry starts a new run.
    this.sending = undefined;
  }

  /** Copies of bodies without secrets; none if too many wait already. */
  private shownBodies({ request, response }: NonNullable<AnsweredRequest['bodies']>): Bodies {
    const waiting = this.waiting.reduce((sum, entry) => sum + bodyLengthOf(entry), 0);
    if (waiting >= waitingBodiesMax) return noBodies;
    return { requestBody: loggedBody(request), responseBody: loggedBody(response) };
  }

  /** Takes the oldest entries, as many as one call carries. */
  private nextBatch(): LoggedRequest[] {
    let length = 0;
    const tooMany = this.waiting.slice(0, batchMax).findIndex((entry) => {
      length += bodyLengthOf(entry);
      return length > sentBodiesMax;
    });
    return this.waiting.splice(0, tooMany === -1 ? batchMax : Math.max(1, tooMany));
  }

  /** Pauses after failures until the gateway stops. */
  private async pause(): Promise<void> {
    if (this.failures === 0) return;
    const { pauseMs = pauseMsDefault } = this.dependencies;
    const longMs = Math.min(pauseMs * 2 ** (this.failures - 1), pauseMsMax);
    await sleep(longMs * jitter(0.2), this.stopping.signal);
  }

  private async send(requests: LoggedRequest[]): Promise<void> {
    const { record, clock, logger } = this.dependencies;
    const context = {
      now: clock.now(),
      scopes: [],
      requestId: newRequestId(),
      deadline: new Date(clock.now().getTime() + recordTimeoutMs),
      signal: AbortSignal.timeout(recordTimeoutMs),
    };
    try {
      // Carries no tenant, since each request names its own.
      await record({ requests }, context as unknown as CallContext);
      if (this.failures > 0) logger.info({ failures: this.failures }, 'request log recovered');
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) {
        logger.warn(
          { err: error, count: requests.length },
          'storing requests in the request log failed',
        );
      }
      if (isPassing(error) && !this.stopping.signal.aborted) this.putBack(requests);
      else this.drop(requests);
    }
  }

  private putBack(requests: LoggedRequest[]): void {
    this.waiting.unshift(...requests);
    const tooMany = this.waiting.length - waitingMax;
    if (tooMany <= 0) return;
    this.drop(this.waiting.splice(waitingMax));
  }

  /** Logs the loss of audit entries as an error, since the audit log should be complete. */
  private drop(requests: readonly Pick<LoggedRequest, 'audit' | 'requestId'>[]): void {
    const count = requests.length;
    const lost = requests.filter(({ audit }) => audit !== undefined);
    if (lost.length > 0) {
      const requestIds = lost.map(({ requestId }) => requestId);
      this.dependencies.logger.error({ count: lost.length, requestIds }, 'audit entries lost');
    }
    this.dependencies.metrics?.recordDroppedRequests(count);
    this.forgetDrops();
    const minute = this.minute();
    this.dropped.set(minute, (this.dropped.get(minute) ?? 0) + count);
  }

  private forgetDrops(): void {
    const earliest = this.minute() - recentMs / minuteMs;
    for (const minute of this.dropped.keys()) if (minute < earliest) this.dropped.delete(minute);
  }

  private minute(): number {
    return Math.floor(this.dependencies.clock.now().getTime() / minuteMs);
  }
}

type Bodies = Pick<LoggedRequest, 'requestBody' | 'responseBody'>;

const noBodies: Bodies = { requestBody: undefined, responseBody: undefined };

function bodyLengthOf({ requestBody, responseBody, query }: LoggedRequest): number {
  const lengths = [requestBody?.json.length, responseBody?.json.length, query?.length];
  return lengths.reduce<number>((sum, length = 0) => sum + length, 0);
}

/** True for errors that a retry may resolve. */
function isPassing(error: unknown): boolean {
  if (error instanceof DeadlineExceededError) return true;
  return error instanceof DomainError && ['unavailable', 'resource_exhausted'].includes(error.kind);
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { jitter, newId, newRequestId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { redactSecrets } from '@billing/chassis/redaction';
import { DomainError } from '@billing/kernel/domain-error';
import type { AuditedWrite, LoggedRequest } from '@billing/proto/billing/identity/v1/request_log';
import { isRead } from './authentication';
import type { Peers } from './peers';

/** Whose request it was, as people may see it. */
export interface RequestAuthor {
  readonly environmentId: string;
  readonly caller: LoggedRequest['caller'];
  /** What the audit log keeps of it, asked once it is answered; absent: nothing. */
  readonly audit?: () => AuditedWrite | undefined;
}

/** A request to the public API and how it was answered. */
export interface AnsweredRequest extends Omit<LoggedRequest, 'id' | 'caller' | 'environmentId'> {
  /**
   * Whether it is one of many that say the same, and each of which can be found elsewhere: kept
   * only when it fails.
   */
  readonly isIngest: boolean;
}

/** What the log works with. */
export interface RequestLogOptions {
  readonly record: Peers['requestLog']['recordRequests'];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'recordDroppedRequests'>;
  readonly gatherMs?: number;
  /** After the first failure in a row. */
  readonly pauseMs?: number;
}

const gatherMsDefault = 1_000;
const pauseMsDefault = 1_000;
const pauseMsMax = 30_000;
const batchMax = 100;
// Some seconds of a busy gateway, at about 500 bytes each.
const waitingMax = 2_000;
const recordTimeoutMs = 5_000;
const closeTimeoutMs = 3_000;
const recentMs = 10 * 60_000;
const minuteMs = 60_000;
const pathLengthMax = 500;

/**
 * Keeps what callers of the public API wrote, and what failed, for people to look at later.
 * Requests are told of after their answer and sent on in the background, many at a time: no request
 * waits for it, and none fails by it. Where they come faster than they can be sent, or there is
 * nobody to take them, they are dropped and counted. Whoever takes them is left alone after a
 * failure, ever longer.
 */
export class RequestLog {
  private readonly waiting: LoggedRequest[] = [];
  private readonly stopping = new AbortController();
  /** Aborted when there is enough for a batch. */
  private full = new AbortController();
  private sending: Promise<void> | undefined;
  /** In a row; none: they are taken. */
  private failures = 0;
  // By minute of real time.
  private readonly dropped = new Map<number, number>();
  // Nothing that is sent later belongs to the trace of the request that set it off.
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly options: RequestLogOptions) {}

  /** Returns at once. Reads that succeed are not kept. */
  note({ isIngest, ...answered }: AnsweredRequest, author: Omit<RequestAuthor, 'audit'>): void {
    const isFailure = answered.status >= 400;
    if (!isFailure && (isIngest || isRead(answered.method))) return;
    if (this.waiting.length >= waitingMax) {
      this.drop([answered]);
      return;
    }
    const path = redactSecrets(answered.path).slice(0, pathLengthMax);
    this.waiting.push({ id: newId(), ...answered, ...author, path });
    if (this.waiting.length >= batchMax) this.full.abort();
    this.sending ??= this.outside(() => this.sendAll());
  }

  /** How many requests of the last minutes were dropped here. */
  get droppedRecently(): number {
    this.forgetDrops();
    return [...this.dropped.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Sends what waits, for a moment. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.full.abort();
    await Promise.race([this.sending, sleep(closeTimeoutMs)]);
    if (this.waiting.length > 0) this.drop(this.waiting.splice(0));
  }

  private async sendAll(): Promise<void> {
    const { gatherMs = gatherMsDefault } = this.options;
    while (this.waiting.length > 0) {
      await sleep(gatherMs, this.full.signal);
      await this.pause();
      const batch = this.waiting.splice(0, batchMax);
      await this.send(batch);
      const isMore = this.waiting.length >= batchMax || this.stopping.signal.aborted;
      if (!isMore) this.full = new AbortController();
    }
    // In the same step as the look above: who comes next begins anew.
    this.sending = undefined;
  }

  /** Waits after failures, unless the gateway stops. */
  private async pause(): Promise<void> {
    if (this.failures === 0) return;
    const { pauseMs = pauseMsDefault } = this.options;
    const longMs = Math.min(pauseMs * 2 ** (this.failures - 1), pauseMsMax);
    await sleep(longMs * jitter(0.2), this.stopping.signal);
  }

  private async send(requests: LoggedRequest[]): Promise<void> {
    const { record, clock, logger } = this.options;
    const context = {
      now: clock.now(),
      scopes: [],
      requestId: newRequestId(),
      deadline: new Date(clock.now().getTime() + recordTimeoutMs),
      signal: AbortSignal.timeout(recordTimeoutMs),
    };
    try {
      // Carries no tenant: each request names its own.
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

  /** The audit log is to be complete: what it loses is told in our own log, loudly. */
  private drop(requests: readonly Pick<LoggedRequest, 'audit' | 'requestId'>[]): void {
    const count = requests.length;
    const lost = requests.filter(({ audit }) => audit !== undefined);
    if (lost.length > 0) {
      const requestIds = lost.map(({ requestId }) => requestId);
      this.options.logger.error({ count: lost.length, requestIds }, 'audit entries lost');
    }
    this.options.metrics?.recordDroppedRequests(count);
    this.forgetDrops();
    const minute = this.minute();
    this.dropped.set(minute, (this.dropped.get(minute) ?? 0) + count);
  }

  private forgetDrops(): void {
    const earliest = this.minute() - recentMs / minuteMs;
    for (const minute of this.dropped.keys()) if (minute < earliest) this.dropped.delete(minute);
  }

  private minute(): number {
    return Math.floor(this.options.clock.now().getTime() / minuteMs);
  }
}

/** Whether the same call may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof DeadlineExceededError) return true;
  return error instanceof DomainError && ['unavailable', 'resource_exhausted'].includes(error.kind);
}

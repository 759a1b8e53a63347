import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { newRequestId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { LostAnswer } from '@billing/proto/billing/identity/v1/lost_call';
import { loggedError } from './logged-error';
import { type IndexedCall, LostCallIndex } from './lost-call-index';
import type { Peers } from './peers';

/** What the registry works with. */
export interface LostCallRegistryDependencies {
  readonly calls: Peers['lostCall'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What became of a lost call so far. */
export interface LostOutcome {
  /** Under which it was claimed, where it was a retry itself. */
  readonly claimId: string | undefined;
  /** Real time until which it may still run; undefined: it has ended. */
  readonly runningUntil: Date | undefined;
  /** Undefined: a retry runs again. */
  readonly answer: LostAnswer | undefined;
}

// A lost call is known at every gateway within a second.
const readEveryMs = 250;
// Half of the second is for the gateway that lost the call to record it.
const staleAfterMs = 500;
// No request waits longer for an identity service that does not answer.
const refreshTimeoutMs = 1_000;
const pauseAfterFailureMs = 1_000;
const callTimeoutMs = 5_000;
const recordAttemptsMax = 60;
// Clocks of replicas differ a little, and a write may be seen much later than another one with a
// later time.
const overlapMs = 10_000;
const listedMax = 1_000;

/**
 * The lost calls of all gateways: this one's are sent to identity at once, those of the others are
 * read from there.
 */
export class LostCallRegistry {
  private readonly index = new LostCallIndex();
  /** Records of one call are sent one after another. */
  private readonly sending = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private reading: Promise<void> | undefined;
  private readSince = new Date(0);
  /** When the last read that has ended began. */
  private readAtMs = 0;
  private refreshing: Promise<void> | undefined;
  // Nothing that is sent in the background belongs to the trace of a request.
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly dependencies: LostCallRegistryDependencies) {}

  start(): void {
    this.reading = this.outside(() => this.readAll());
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.reading, ...this.sending.values()]);
  }

  /**
   * Resolves when the calls of other gateways are known as they were at most half a second ago, or
   * cannot be read.
   */
  async upToDate(): Promise<void> {
    if (this.dependencies.clock.now().getTime() - this.readAtMs <= staleAfterMs) return;
    this.refreshing ??= this.outside(() => this.refresh());
    await this.refreshing;
  }

  knows(callerId: string): boolean {
    return this.index.knows(callerId, this.dependencies.clock.now());
  }

  /** Records what became of a call; sent in the background. */
  record(call: IndexedCall, outcome: LostOutcome): void {
    for (const id of this.index.add(call, this.dependencies.clock.now()))
      this.forget(call.callerId, id);
    this.send(call.id, (context) =>
      this.dependencies.calls.recordLostCall({ ...call, ...outcome }, context),
    );
  }

  forget(callerId: string, id: string): void {
    this.index.remove(callerId, id);
    this.send(id, (context) => this.dependencies.calls.forgetLostCall({ id }, context));
  }

  /** Claims a call for its retry; undefined: there is none. */
  async claim(
    { callerId, fingerprint }: Omit<IndexedCall, 'id'>,
    claim: { claimId: string; claimedUntil: Date },
    context: CallContext,
  ): Promise<{ id: string; answer: LostAnswer | undefined } | 'running' | undefined> {
    const known = this.index.callsOf(callerId, fingerprint);
    const [first] = known;
    if (first === undefined) return undefined;
    for (const [lost] of known) await this.sending.get(lost);
    const request = { fingerprint, ...claim };
    const { id, answer, isRunning } = await this.dependencies.calls
      .claimLostCall(request, context)
      .catch((error: unknown) => {
        // It may have been claimed: the next retry, which waits for what is sent, must find it.
        this.release({ id: first[0], callerId, fingerprint }, claim);
        throw error;
      });
    if (id !== undefined) {
      this.index.remove(callerId, id);
      return { id, answer };
    }
    if (isRunning) return 'running';
    // One that was lost again since is claimed next time.
    for (const [gone, call] of known) this.index.remove(callerId, gone, call);
    return undefined;
  }

  /** Leaves what a claim without an answer may have claimed to the next retry. */
  private release(call: IndexedCall, claim: { claimId: string; claimedUntil: Date }): void {
    const { fingerprint } = call;
    this.send(call.id, async (context) => {
      const { id, answer } = await this.dependencies.calls.claimLostCall(
        { fingerprint, ...claim },
        context,
      );
      if (id === undefined) return;
      const { claimId } = claim;
      const released = { ...call, id, claimId, runningUntil: undefined, answer };
      await this.dependencies.calls.recordLostCall(released, context);
    });
  }

  private send(id: string, call: (context: CallContext) => Promise<unknown>): void {
    const before = this.sending.get(id) ?? Promise.resolve();
    const sent = before.then(() => this.outside(() => this.sendPatiently(call)));
    this.sending.set(id, sent);
    void sent.then(() => {
      if (this.sending.get(id) === sent) this.sending.delete(id);
    });
  }

  private async sendPatiently(call: (context: CallContext) => Promise<unknown>): Promise<void> {
    for (let attempt = 1; attempt <= recordAttemptsMax; attempt += 1) {
      try {
        await call(this.context());
        return;
      } catch (error) {
        if (attempt === 1)
          this.dependencies.logger.warn(loggedError(error), 'lost call not recorded');
        if (this.stopping.signal.aborted) return;
        await sleep(pauseAfterFailureMs, this.stopping.signal);
      }
    }
  }

  private async readAll(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        await this.read();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1)
          this.dependencies.logger.warn(loggedError(error), 'reading lost calls failed');
      }
      const pauseMs = failures === 0 ? readEveryMs : pauseAfterFailureMs;
      await sleep(pauseMs, this.stopping.signal);
    }
  }

  private async refresh(): Promise<void> {
    try {
      await this.read(refreshTimeoutMs);
    } catch {
      // The reads in the background report it; the next request does not wait again at once.
    } finally {
      this.refreshing = undefined;
    }
  }

  private async read(timeoutMs = callTimeoutMs): Promise<void> {
    const beganMs = this.dependencies.clock.now().getTime();
    try {
      await this.readPages(timeoutMs);
    } finally {
      this.readAtMs = Math.max(this.readAtMs, beganMs);
    }
  }

  private async readPages(timeoutMs: number): Promise<void> {
    let latest = this.readSince;
    for (;;) {
      const since = latest;
      const { calls } = await this.dependencies.calls.listLostCalls(
        { since },
        this.context(timeoutMs),
      );
      const now = this.dependencies.clock.now();
      for (const { recordedAt, ...call } of calls) {
        this.index.add(call, now);
        if (recordedAt !== undefined && recordedAt > latest) latest = recordedAt;
      }
      if (calls.length < listedMax || latest <= since) break;
    }
    const nextMs = latest.getTime() - overlapMs;
    if (nextMs > this.readSince.getTime()) this.readSince = new Date(nextMs);
  }

  private context(timeoutMs = callTimeoutMs): CallContext {
    const { clock } = this.dependencies;
    // Carries no tenant: a lost call names its caller.
    return {
      now: clock.now(),
      scopes: [],
      requestId: newRequestId(),
      deadline: new Date(clock.now().getTime() + timeoutMs),
      signal: AbortSignal.timeout(timeoutMs),
    } as unknown as CallContext;
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { newRequestId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import type { LostAnswer } from '@billing/proto/billing/identity/v1/lost_call';
import { loggedError } from '../../http/error';
import { type IndexedCall, LostCallIndex } from './lost-call-index';
import type { Peers } from '../../peer/peers';

/** Dependencies of the registry. */
export interface LostCallRegistryDependencies {
  readonly calls: Peers['lostCall'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** State of a lost call. */
export interface LostOutcome {
  /** Id of the claim, if the lost call was itself a retry. */
  readonly claimId: string | undefined;
  /** Real time until which the call may still run; undefined once it has ended. */
  readonly runningUntil: Date | undefined;
  /** Response of the call; undefined if a retry must run it again. */
  readonly answer: LostAnswer | undefined;
}

// Every gateway knows a lost call within a second. The gateway that lost it has the other half of
// the second to record it.
const staleAfterMs = 500;
// Requests that follow each other closely never wait for the index.
const refreshAfterMs = 250;
// Maximum wait of a request for an identity service that does not respond.
const refreshTimeoutMs = 1_000;
const pauseAfterFailureMs = 1_000;
const callTimeoutMs = 5_000;
// A full disk or a paused system refuses every write for a while.
const pauseAfterRefusalMs = 5_000;
const refusals: ReadonlySet<string> = new Set(['STORAGE_FULL', 'WRITES_PAUSED']);
const recordWithinMs = 60_000;
// Covers clock skew between replicas and writes that become visible out of order.
const overlapMs = 10_000;
const listedMax = 1_000;

/** A write that is being sent. */
interface Sending {
  readonly done: Promise<void>;
  /** Rejects once the identity service refuses writes; the write is repeated. */
  readonly refused: Promise<never>;
}

/**
 * Registry of the lost calls of all gateways. Sends its own calls to the identity service
 * immediately, and reads those of other gateways when a request needs them.
 */
export class LostCallRegistry {
  private readonly index = new LostCallIndex();
  /** Pending writes by call. Writes of one call are sent in sequence. */
  private readonly sending = new Map<string, Sending>();
  private readonly stopping = new AbortController();
  private readSince = new Date(0);
  /** Start time of the latest completed read, or end of one that failed. */
  private readAtMs = 0;
  private refreshing: Promise<void> | undefined;
  private hasFailed = false;
  // Keeps background calls out of the traces of requests.
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly dependencies: LostCallRegistryDependencies) {}

  async close(): Promise<void> {
    this.stopping.abort();
    const writes = [...this.sending.values()].map(({ done }) => done);
    await Promise.all([this.refreshing, ...writes]);
  }

  /** Resolves when the index is at most half a second old or cannot be refreshed. */
  async upToDate(): Promise<void> {
    if (this.ageMs() <= refreshAfterMs) return;
    const refreshed = this.refreshOnce();
    if (this.ageMs() <= staleAfterMs) return;
    await refreshed;
    // The refresh may have begun too long ago.
    if (this.ageMs() > staleAfterMs) await this.refreshOnce();
  }

  private ageMs(): number {
    return this.dependencies.clock.now().getTime() - this.readAtMs;
  }

  private refreshOnce(): Promise<void> {
    this.refreshing ??= this.outside(() => this.refresh());
    return this.refreshing;
  }

  knows(callerId: string): boolean {
    return this.index.knows(callerId, this.dependencies.clock.now());
  }

  /** Records the state of a call in the background. */
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

  /** Claims a lost call for its retry; undefined if there is none. */
  async claim(
    { callerId, fingerprint }: Omit<IndexedCall, 'id'>,
    claim: { claimId: string; claimedUntil: Date },
    context: CallContext,
  ): Promise<{ id: string; answer: LostAnswer | undefined } | 'running' | undefined> {
    const known = this.index.callsOf(callerId, fingerprint);
    const [first] = known;
    if (first === undefined) return undefined;
    for (const [lost] of known) {
      const pending = this.sending.get(lost);
      if (pending !== undefined) await Promise.race([pending.done, pending.refused]);
    }
    const request = { fingerprint, ...claim };
    const { id, answer, isRunning } = await this.dependencies.calls
      .claimLostCall(request, context)
      .catch((error: unknown) => {
        // The claim may have succeeded. The next retry waits for pending writes and must find the
        // call.
        this.release({ id: first[0], callerId, fingerprint }, claim);
        throw error;
      });
    if (id !== undefined) {
      this.index.remove(callerId, id);
      return { id, answer };
    }
    if (isRunning) return 'running';
    // A call that was lost again in the meantime stays in the index for the next retry.
    for (const [gone, call] of known) this.index.remove(callerId, gone, call);
    return undefined;
  }

  /** Releases a call after a claim with an unknown outcome. */
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
    const earlier = this.sending.get(id);
    const before = earlier?.done ?? Promise.resolve();
    const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
    // Only a retry of the call reads it.
    refused.catch(() => undefined);
    earlier?.refused.catch(refuse);
    const done = before.then(() => this.outside(() => this.sendPatiently(call, refuse)));
    this.sending.set(id, { done, refused });
    void done.then(() => {
      if (this.sending.get(id)?.done === done) this.sending.delete(id);
    });
  }

  private async sendPatiently(
    call: (context: CallContext) => Promise<unknown>,
    refuse: (refusal: DomainError) => void,
  ): Promise<void> {
    const { clock, logger } = this.dependencies;
    const untilMs = clock.now().getTime() + recordWithinMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await call(this.context());
        return;
      } catch (error) {
        if (attempt === 1) logger.warn(loggedError(error), 'lost call not recorded');
        const isRefused = error instanceof DomainError && refusals.has(error.reason);
        if (isRefused) refuse(error);
        const pauseMs = isRefused ? pauseAfterRefusalMs : pauseAfterFailureMs;
        if (this.stopping.signal.aborted || clock.now().getTime() + pauseMs > untilMs) return;
        await sleep(pauseMs, this.stopping.signal);
      }
    }
  }

  private async refresh(): Promise<void> {
    const { clock, logger } = this.dependencies;
    const beganMs = clock.now().getTime();
    try {
      await this.readPages();
      this.readAtMs = beganMs;
      this.hasFailed = false;
    } catch (error) {
      // The next request does not wait again immediately.
      this.readAtMs = clock.now().getTime();
      if (!this.hasFailed) logger.warn(loggedError(error), 'reading lost calls failed');
      this.hasFailed = true;
    } finally {
      this.refreshing = undefined;
    }
  }

  private async readPages(): Promise<void> {
    let latest = this.readSince;
    for (;;) {
      const since = latest;
      const { calls } = await this.dependencies.calls.listLostCalls(
        { since },
        this.context(refreshTimeoutMs),
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
    // Carries no tenant, since a lost call names its caller.
    return {
      now: clock.now(),
      scopes: [],
      requestId: newRequestId(),
      deadline: new Date(clock.now().getTime() + timeoutMs),
      signal: AbortSignal.timeout(timeoutMs),
    } as unknown as CallContext;
  }
}

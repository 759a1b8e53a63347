import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { type Clock, monotonicMs, sleep } from '@billing/chassis/clock';
import { isBug } from '@billing/chassis/grpc-status';
import { jitter } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Semaphore } from '@billing/chassis/semaphore';
import { inSpan } from '@billing/chassis/tracing';
import type { Transition } from '@billing/kernel/transition';
import type { Environment, Lease } from '../environment/environment';
import { AdvancePlace } from './advance-place-worker';
import { type LiveUse, pauseMsBetweenSteps } from './advance-pace';
import { type Activity, type ClockAdvancePorts, runAdvance, type WorkClass } from './clock-advance';
import {
  isHeldBy,
  isStopping,
  finishAdvance,
  LeaseLost,
  manualClockOf,
  moveTo,
  releaseLease,
  renewLease,
} from '../environment/sandbox-clock';

/** A service with time-driven work. */
export interface DueWorkPeer {
  nextDue(until: Date, context: CallContext): Promise<Date | undefined>;
  runDue(until: Date, workClass: WorkClass, context: CallContext): Promise<number>;
  /** `idleAt`: count of writes that the service reported with nothing pending. */
  activity(
    asked: {
      readonly until: Date;
      readonly workClass: WorkClass;
      readonly idleAt: bigint | undefined;
    },
    context: CallContext,
  ): Promise<Activity>;
  /** Processes announced events of the environment; returns the number of those left. */
  settle(until: Date, context: CallContext): Promise<number>;
}

export interface ClockAdvanceDependencies {
  readonly environments: AggregateCollection<Environment>;
  readonly peers: readonly DueWorkPeer[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time for which an advance pauses after its worker died. */
  readonly leaseMs: number;
  /** Limits the concurrent advances of this replica; the others wait for their turn in order. */
  readonly running: Semaphore;
  readonly liveUse: Pick<LiveUse, 'isSteady'>;
}

// Running all due work of one instant in a large sandbox takes long; an interrupted run continues
// where it was when it is called again.
const runDeadlineMs = 60_000;
const askDeadlineMs = 30_000;
// An event whose predecessor is missing is left after this time.
const settleMsMax = 60_000;
const settleAgainMs = 100;
const retryMsMin = 50;
const retryMsMax = 5_000;
const renewalsPerLease = 3;

/**
 * Carries out the advances of one clock, one after the other, until there are no more or the lease
 * is lost. Every write needs the lease. A worker that lost it may still have a call in flight;
 * calls are idempotent, and none of them moves the clock.
 */
export class ClockAdvanceWorker {
  private readonly over = new AbortController();
  private readonly signal: AbortSignal;
  private lease: Lease;
  private readonly place: AdvancePlace;
  /** Aborts the wait for a place in the replica; absent while no advance waits. */
  private waiting: AbortController | undefined;

  constructor(
    private readonly options: ClockAdvanceDependencies,
    private readonly tenant: Tenant,
    /** Granted before. */
    lease: Lease,
    private readonly stopping: AbortSignal,
  ) {
    this.lease = lease;
    this.place = new AdvancePlace(options.running, monotonicMs);
    this.signal = AbortSignal.any([this.over.signal, stopping]);
  }

  /** Never rejects: another worker resumes unfinished work once the lease has expired. */
  async run(): Promise<void> {
    const { logger } = this.options;
    const { environmentId } = this.tenant;
    const renewing = this.renewUntilOver();
    try {
      await this.advanceUntilDone();
    } catch (error) {
      if (error instanceof LeaseLost)
        logger.info({ environmentId }, 'lease lost, clock advance left to another worker');
      else if (!this.stopping.aborted)
        logger.error({ err: error, environmentId }, 'clock advance failed');
    }
    this.over.abort(new LeaseLost());
    await renewing;
    if (this.stopping.aborted) await this.release();
  }

  private async advanceUntilDone(): Promise<void> {
    const { environmentId } = this.tenant;
    for (;;) {
      const { state } = await this.retryWhileLeased(() => this.store().get(environmentId));
      if (!isHeldBy(state, this.lease.owner)) return;
      const { now, advances } = manualClockOf(state);
      const [current] = advances;
      if (current === undefined) return;
      const { id: advanceId, to, processed: before } = current;
      const span = { name: 'advance clock', kind: 'internal', service: 'identity' } as const;
      const processed = await this.runWithinLimit(before, () =>
        inSpan(span, async () => {
          const handled = await runAdvance({ from: now, to, processed: before }, this.ports());
          await this.settle(to);
          return handled;
        }),
      );
      await this.change((environment, lease) =>
        finishAdvance(environment, { advanceId, processed, lease }),
      );
    }
  }

  /**
   * Runs one advance once the replica has a place for it. An advance that is stopped while it waits
   * ends without having run.
   */
  private async runWithinLimit(before: number, run: () => Promise<number>): Promise<number> {
    const isStopped = !(await this.awaitPlace((signal) => this.place.take(signal)));
    if (isStopped) return before;
    try {
      return await run();
    } finally {
      this.place.end();
    }
  }

  /** Returns false, without a place, if the advance was stopped while it waited. */
  private async awaitPlace(wait: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const waiting = new AbortController();
    this.waiting = waiting;
    try {
      await wait(AbortSignal.any([waiting.signal, this.signal]));
      return true;
    } catch (error) {
      if (waiting.signal.aborted) return false;
      throw error;
    } finally {
      this.waiting = undefined;
    }
  }

  /**
   * Waits until everything that the advance announced is processed, so that its caller finds it in
   * lists of events. Gives up after a while: no work of the environment depends on it.
   */
  private async settle(until: Date): Promise<void> {
    const { peers, clock, logger } = this.options;
    const settleBy = after(clock.now(), settleMsMax);
    for (;;) {
      const counts = await this.ask(peers, askDeadlineMs, (peer, call) => peer.settle(until, call));
      const left = counts.reduce((sum, count) => sum + count, 0);
      if (left === 0) return;
      if (clock.now() >= settleBy) {
        const { environmentId } = this.tenant;
        logger.warn(
          { environmentId, left },
          'clock advance ended before all events were processed',
        );
        return;
      }
      await sleep(settleAgainMs, this.signal);
      this.signal.throwIfAborted();
    }
  }

  private ports(): ClockAdvancePorts {
    const { peers, clock } = this.options;
    let stepBeganAt = clock.now();
    return {
      betweenInstants: async () => {
        await this.pauseForOthers(clock.now().getTime() - stepBeganAt.getTime());
        await this.giveWay();
        stepBeganAt = clock.now();
      },
      nextDue: (until) => this.ask(peers, askDeadlineMs, (peer, call) => peer.nextDue(until, call)),
      runDue: async (until, workClass, services) => {
        const asked = numbered(peers, services);
        let isRepeated = false;
        const counts = await this.ask(asked, runDeadlineMs, (peer, call) =>
          peer.runDue(until, workClass, call).catch((error: unknown) => {
            isRepeated = true;
            throw error;
          }),
        );
        return { processed: counts.reduce((sum, count) => sum + count, 0), isRepeated };
      },
      activities: (until, workClass, { services, idleAt } = {}) =>
        this.ask(numbered(peers, services), askDeadlineMs, (peer, call, index) =>
          peer.activity({ until, workClass, idleAt: idleAt?.[index] }, call),
        ),
      moveTo: async (at, processed) => {
        const { state } = await this.change((environment, lease) =>
          moveTo(environment, { at, processed, lease }),
        );
        return !isStopping(state);
      },
      pause: (ms) => sleep(ms, this.signal),
    };
  }

  /** Pauses between two instants, so that live environments and other advances keep their share. */
  private async pauseForOthers(stepMs: number): Promise<void> {
    const { running, liveUse } = this.options;
    const pauseMs = pauseMsBetweenSteps({
      stepMs,
      otherAdvances: running.inUse - 1,
      isLiveInUse: liveUse.isSteady,
    });
    if (pauseMs > 0) await sleep(pauseMs, this.signal);
  }

  /**
   * Lets the advances that wait have their turn. An advance that is stopped before its next turn
   * continues without a place: its clock no longer moves.
   */
  private async giveWay(): Promise<void> {
    if (this.place.isTurnOver) await this.awaitPlace((signal) => this.place.giveWay(signal));
  }

  /**
   * Calls the peers one after the other, and returns their answers in order. Concurrent calls would
   * fill every core for a moment, and live calls would wait behind them.
   */
  private async ask<T>(
    peers: readonly DueWorkPeer[],
    deadlineMs: number,
    question: (peer: DueWorkPeer, call: CallContext, index: number) => Promise<T>,
  ): Promise<T[]> {
    const answers: T[] = [];
    for (const [index, peer] of peers.entries()) {
      const answer = () => question(peer, this.callContext(deadlineMs), index);
      answers.push(await this.retryWhileLeased(answer));
    }
    return answers;
  }

  private async change(
    decide: (environment: Environment, lease: Lease) => Transition<Environment>,
  ): Promise<Stored<Environment>> {
    return this.retryWhileLeased(() => this.write(decide));
  }

  /** Writes a change that also renews the lease. */
  private async write(
    decide: (environment: Environment, lease: Lease) => Transition<Environment>,
  ): Promise<Stored<Environment>> {
    const lease = { ...this.lease, until: after(this.options.clock.now(), this.options.leaseMs) };
    const stored = await this.store().mutate(this.tenant.environmentId, (environment) =>
      decide(environment, lease),
    );
    this.lease = lease;
    return stored;
  }

  /**
   * Retries while this worker holds the lease: an outage of a service or the database may last for
   * any time.
   */
  private async retryWhileLeased<T>(act: () => Promise<T>): Promise<T> {
    for (let retryMs = retryMsMin; ; retryMs = Math.min(2 * retryMs, retryMsMax)) {
      this.signal.throwIfAborted();
      try {
        return await act();
      } catch (error) {
        this.signal.throwIfAborted();
        if (error instanceof LeaseLost) throw error;
        const { environmentId } = this.tenant;
        const level = isBug(error) ? 'error' : 'warn';
        this.options.logger[level](
          { err: error, environmentId },
          'clock advance step failed, retrying',
        );
      }
      await sleep(retryMs * jitter(0.2), this.signal);
    }
  }

  private async renewUntilOver(): Promise<void> {
    const { clock, leaseMs } = this.options;
    for (;;) {
      await sleep(leaseMs / renewalsPerLease, this.signal);
      if (this.signal.aborted) return;
      try {
        const { state } = await this.write(renewLease);
        if (isStopping(state)) this.waiting?.abort();
      } catch (error) {
        const isLost = error instanceof LeaseLost || clock.now() >= this.lease.until;
        if (isLost) this.over.abort(new LeaseLost());
      }
    }
  }

  private async release(): Promise<void> {
    const { clock, logger } = this.options;
    const { environmentId } = this.tenant;
    const { owner } = this.lease;
    try {
      const now = clock.now();
      await this.store().mutate(environmentId, (environment) =>
        releaseLease(environment, { owner, now }),
      );
    } catch (error) {
      // Lost: nothing to release. Any other failure only delays the next worker until the lease has
      // expired.
      if (!(error instanceof LeaseLost)) {
        logger.warn({ err: error, environmentId }, 'clock advance lease not released');
      }
    }
  }

  private store() {
    return this.options.environments.within({
      tenant: this.tenant,
      now: this.options.clock.now(),
    });
  }

  private callContext(deadlineMs: number): CallContext {
    const now = this.options.clock.now();
    return {
      tenant: this.tenant,
      now,
      scopes: [],
      requestId: `${this.tenant.environmentId}/advance`,
      deadline: after(now, deadlineMs),
      signal: this.signal,
    };
  }
}

function numbered(
  peers: readonly DueWorkPeer[],
  services: readonly number[] | undefined,
): readonly DueWorkPeer[] {
  return services === undefined ? peers : peers.filter((_peer, index) => services.includes(index));
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

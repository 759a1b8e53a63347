import { type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, neverStopping, workContext } from '@billing/chassis/call-context';
import { type Clock, monotonicMs, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { StepCounts } from '@billing/chassis/recovery';
import { inPages, visitAll } from '@billing/chassis/visit-all';
import type { Environment } from '../environment/environment';
import { manualClockOf } from '../environment/sandbox-clock';
import { forEachInstant, type WorkClass, workClasses } from './clock-advance';
import type { DueWorkPeer } from './clock-advance-worker';

/** Dependencies of catching up with manual clocks. */
export interface ClockCatchUp {
  readonly peers: readonly DueWorkPeer[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const callDeadlineMs = 60_000;
// Longer than the longest pause between retries of a command, with its deviation.
const stillMs = 20_000;
// Work that is handled and stays due, or that waits for the opening, must not hold the system up.
const roundsMax = 10_000;
const vainWaitsMax = 30;
const lookEveryMs = 250;

/**
 * Does, after a restore, all work that is due by the present time of manual clocks, because the
 * copy of a service may be older than the clock. Moves no clock.
 */
export async function catchUpClocks(
  environments: AggregateCollection<Environment>,
  { peers, clock, logger }: ClockCatchUp,
): Promise<StepCounts> {
  const { definition, documents } = environments;
  const found = inPages(documents, { 'clock.kind': 'MANUAL' });
  return visitAll(
    found,
    async (document) => {
      const stored = toStored(definition, document);
      if (stored.state.deletedAt !== undefined) return {};
      return catchUpClock(stored, { peers, clock });
    },
    (error, { _id: environmentId }) => {
      logger.warn({ err: error, environmentId }, 'due work of a manual clock not done');
      return { clocksLeft: 1 };
    },
  );
}

/** Does all work of one environment that is due by the time of its clock. */
export function catchUpClock(
  stored: Stored<Environment>,
  { peers, clock }: Omit<ClockCatchUp, 'logger'>,
): Promise<StepCounts> {
  return new ClockWork(stored, peers, clock).catchUp();
}

class ClockWork {
  constructor(
    private readonly stored: Stored<Environment>,
    private readonly peers: readonly DueWorkPeer[],
    private readonly clock: Clock,
  ) {}

  private rounds = 0;
  private vainWaits = 0;
  /** Pending work of each peer at which a wait ended in vain: charges wait for the opening. */
  private held: readonly number[] = [];

  /** Runs it from instant to instant, as an advance does; the clock stays. */
  async catchUp(): Promise<StepCounts> {
    const { now } = manualClockOf(this.stored.state);
    let clockDue = 0;
    const nextDue = () => this.ask((peer, context) => peer.nextDue(now, context));
    const isThrough = await forEachInstant(nextDue, async (at) => {
      const handled = await this.runInstant(at);
      clockDue += handled;
      return handled > 0 && !this.isStuck();
    });
    // Work that fails is done by the next advance.
    if (!isThrough) return { clocksLeft: 1, clockDue };
    return clockDue === 0 ? {} : { clocks: 1, clockDue };
  }

  private async runInstant(at: Date): Promise<number> {
    let total = 0;
    for (const workClass of workClasses) {
      for (;;) {
        const counts = await this.ask((peer, context) => peer.runDue(at, workClass, context));
        const handled = counts.reduce((sum, count) => sum + count, 0);
        if (handled === 0) break;
        total += handled;
        await this.untilStill(at, workClass);
        this.rounds += 1;
        if (this.isStuck()) return total;
      }
    }
    return total;
  }

  private isStuck(): boolean {
    return this.rounds >= roundsMax || this.vainWaits >= vainWaitsMax;
  }

  /**
   * Waits for the consequences of what was done. Some may wait for later work: then nothing changes
   * any more.
   */
  private async untilStill(until: Date, workClass: WorkClass): Promise<void> {
    let last = '';
    let sinceMs = monotonicMs();
    for (;;) {
      const asked = { until, workClass, idleAt: undefined };
      const activities = await this.ask((peer, context) => peer.activity(asked, context));
      if (activities.some(({ due }) => due > 0)) return;
      const seen = activities.map(({ pending, writes }) => `${String(pending)} ${String(writes)}`);
      const isSame = seen.join() === last;
      if (!isSame) [last, sinceMs] = [seen.join(), monotonicMs()];
      const isQuiet = activities.every(({ pending }, index) => pending <= (this.held[index] ?? 0));
      if (isSame && isQuiet) return;
      if (isSame && monotonicMs() - sinceMs >= stillMs) {
        this.held = activities.map(({ pending }) => pending);
        this.vainWaits += 1;
        return;
      }
      await sleep(lookEveryMs);
    }
  }

  private async ask<T>(
    question: (peer: DueWorkPeer, context: CallContext) => Promise<T>,
  ): Promise<T[]> {
    const answers: T[] = [];
    for (const peer of this.peers) answers.push(await question(peer, this.context()));
    return answers;
  }

  private context(): CallContext {
    const { clock, stored } = this;
    const now = clock.now();
    const requestId = `${stored.state.id}/catch-up`;
    const context = workContext(stored.tenant, {
      ...{ at: now, clock, requestId, stopping: neverStopping },
    });
    return { ...context, deadline: new Date(now.getTime() + callDeadlineMs) };
  }
}

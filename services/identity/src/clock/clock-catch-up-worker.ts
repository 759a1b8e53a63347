import { type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, neverStopping, workContext } from '@billing/chassis/call-context';
import { type Clock, monotonicMs, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { StepCounts } from '@billing/chassis/recovery';
import { inPages, visitAll } from '@billing/chassis/visit-all';
import type { Environment } from '../environment/environment';
import { manualClockOf } from '../environment/sandbox-clock';
import type { WorkClass } from './clock-advance';
import type { DueWorkPeer } from './clock-advance-worker';

/** Dependencies of catching up with manual clocks. */
export interface ClockCatchUp {
  readonly peers: readonly DueWorkPeer[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const classes: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];
const callDeadlineMs = 60_000;
// Longer than the longest pause of a command that is retried: it may wait for what was just done.
const stillMs = 12_000;
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
      return new ClockWork(stored, peers, clock).catchUp();
    },
    (error, { _id: environmentId }) => {
      logger.warn({ err: error, environmentId }, 'work of a manual clock left');
      return { clocksLeft: 1 };
    },
  );
}

/** Work of one environment that is due by the time of its clock. */
class ClockWork {
  constructor(
    private readonly stored: Stored<Environment>,
    private readonly peers: readonly DueWorkPeer[],
    private readonly clock: Clock,
  ) {}

  /** Runs it from instant to instant, as an advance does. */
  async catchUp(): Promise<StepCounts> {
    const { now } = manualClockOf(this.stored.state);
    let clockDue = 0;
    for (;;) {
      const dues = await this.ask((peer, context) => peer.nextDue(now, context));
      const times = dues.flatMap((due) => (due === undefined ? [] : [due.getTime()]));
      if (times.length === 0) return clockDue === 0 ? {} : { clocks: 1, clockDue };
      const handled = await this.runInstant(new Date(Math.min(...times)));
      // Work that fails is done by the next advance.
      if (handled === 0) return { clocksLeft: 1, clockDue };
      clockDue += handled;
    }
  }

  private async runInstant(at: Date): Promise<number> {
    let total = 0;
    for (const workClass of classes) {
      for (;;) {
        const counts = await this.ask((peer, context) => peer.runDue(at, workClass, context));
        const handled = counts.reduce((sum, count) => sum + count, 0);
        if (handled === 0) break;
        total += handled;
        await this.untilStill(at, workClass);
      }
    }
    return total;
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
      const isQuiet = activities.every(({ pending }) => pending === 0);
      if (isSame && (isQuiet || monotonicMs() - sinceMs >= stillMs)) return;
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

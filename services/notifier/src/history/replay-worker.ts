import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { EndpointKey } from '../endpoint/endpoint';
import type { EndpointStore } from '../endpoint/endpoint-store';
import type { Replay, ReplayStore } from './replay-store';

export interface ReplayWorkerDependencies {
  readonly endpoints: EndpointStore;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with endpoints that have new due deliveries. */
  readonly onDeliveries: (endpoints: readonly EndpointKey[]) => void;
}

// Longer than one step takes; another process resumes the replay of a dead one after this time.
const leaseMs = 60_000;

/**
 * Resends undelivered events of an endpoint, or all events. A replay is stored and acknowledged
 * immediately, however large, and carried out in steps of some subscriptions each. A repeated step
 * finds nothing left to do, so a crash costs only time.
 */
export class ReplayWorker {
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private isWanted = false;

  constructor(private readonly dependencies: ReplayWorkerDependencies) {}

  /**
   * Requests a replay since a time, with `all` including delivered events; returns the number of
   * messages.
   */
  async request(
    id: string,
    key: EndpointKey,
    { since, all, storing }: Pick<Replay, 'since' | 'all'> & Pick<CallContext, 'storing'>,
  ): Promise<number> {
    const { replays, clock } = this.dependencies;
    const now = clock.now();
    const { environmentId, endpointId } = key;
    const count = await replays.count(key, { since, all });
    if (count === 0) return 0;
    const times = { since, requestedAt: now, dueAt: now };
    storing?.pass();
    await replays.add({ _id: id, environmentId, endpointId, ...times, all, doneUpTo: '' });
    return count;
  }

  /** Starts on a new replay immediately. */
  wake(): void {
    this.run().catch((error: unknown) => {
      this.dependencies.logger.warn({ err: error }, 'replaying webhooks failed, retrying');
    });
  }

  /**
   * Carries out replays, whichever process stored them; a call during a run extends it until none
   * is left.
   */
  async run(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.runUntilIdle().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  /** Ends after the step in progress; another process continues. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running?.catch(() => undefined);
  }

  private async runUntilIdle(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      while (!this.stopping.signal.aborted && (await this.runNext()));
    }
  }

  /** Returns false if nothing is due. */
  private async runNext(): Promise<boolean> {
    const { replays, clock } = this.dependencies;
    const now = clock.now();
    const replay = await replays.claim({ now, until: leaseFrom(now) });
    if (replay !== undefined) await this.carryOut(replay);
    return replay !== undefined;
  }

  private async carryOut(replay: Replay): Promise<void> {
    const { endpoints, replays, clock, onDeliveries } = this.dependencies;
    const { environmentId, endpointId } = replay;
    let after = replay.doneUpTo;
    // A delivery resent to an inactive endpoint would only be paused again.
    while ((await endpoints.find(replay))?.state.active === true) {
      const subscriptionIds = await replays.findNextSubscriptions(replay, after);
      after = subscriptionIds.at(-1) ?? '';
      if (after === '') break;
      const now = clock.now();
      await replays.resend(replay, subscriptionIds, now);
      const isStopping = this.stopping.signal.aborted;
      await replays.advance(replay, { doneUpTo: after, until: isStopping ? now : leaseFrom(now) });
      if (isStopping) return;
      onDeliveries([{ environmentId, endpointId }]);
    }
    await replays.retryNow(replay, clock.now());
    await replays.finish(replay);
    onDeliveries([{ environmentId, endpointId }]);
  }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + leaseMs);
}

import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { EndpointKey, EndpointStore } from './endpoint-store';
import type { Replay, ReplayStore } from './replay-store';

/** What replays work with. */
export interface ReplayWorkerOptions {
  readonly endpoints: EndpointStore;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of endpoints that have just been given something to send. */
  readonly onDeliveries: (endpoints: readonly EndpointKey[]) => void;
}

// Longer than one step takes; whoever died in it is followed after this long.
const leaseMs = 60_000;

/**
 * Sends endpoints what they have not got, or everything once more. A wish is stored and answered at once, however much it is about, and done in steps of some
 * subscriptions each: a step that is repeated finds nothing left to do, so a crash costs nothing but time.
 */
export class ReplayWorker {
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private isWanted = false;

  constructor(private readonly options: ReplayWorkerOptions) {}

  /** Asks for everything since a time, with `all` also for what was delivered; returns how many messages that is. */
  async request(
    id: string,
    key: EndpointKey,
    { since, all, storing }: Pick<Replay, 'since' | 'all'> & Pick<CallContext, 'storing'>,
  ): Promise<number> {
    const { replays, clock } = this.options;
    const now = clock.now();
    const { environmentId, endpointId } = key;
    const count = await replays.count(key, { since, all });
    if (count === 0) return 0;
    const times = { since, requestedAt: now, dueAt: now };
    storing?.pass();
    await replays.add({ _id: id, environmentId, endpointId, ...times, all, doneUpTo: '' });
    return count;
  }

  /** Begins at once with what has just been asked for. */
  wake(): void {
    this.run().catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'replaying webhooks failed, retrying');
    });
  }

  /** Does what was asked for, of whichever process; a call during another has it go on until nothing is left. */
  async run(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.runWhileWanted().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  /** Ends after the step that is in progress; another process goes on. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running?.catch(() => undefined);
  }

  private async runWhileWanted(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      while (!this.stopping.signal.aborted && (await this.runNext()));
    }
  }

  /** False if nothing is due. */
  private async runNext(): Promise<boolean> {
    const { replays, clock } = this.options;
    const now = clock.now();
    const replay = await replays.claim({ now, until: leaseFrom(now) });
    if (replay !== undefined) await this.carryOut(replay);
    return replay !== undefined;
  }

  private async carryOut(replay: Replay): Promise<void> {
    const { endpoints, replays, clock, onDeliveries } = this.options;
    const { environmentId, endpointId } = replay;
    let after = replay.doneUpTo;
    // What is sent again to one that is not active would only be paused once more.
    while ((await endpoints.find(replay))?.state.active === true) {
      const subscriptionIds = await replays.findNextSubscriptions(replay, after);
      after = subscriptionIds.at(-1) ?? '';
      if (after === '') break;
      const now = clock.now();
      await replays.sendAgain(replay, subscriptionIds, now);
      const isStopping = this.stopping.signal.aborted;
      await replays.advance(replay, { doneUpTo: after, until: isStopping ? now : leaseFrom(now) });
      if (isStopping) return;
      onDeliveries([{ environmentId, endpointId }]);
    }
    await replays.hurry(replay, clock.now());
    await replays.finish(replay);
    onDeliveries([{ environmentId, endpointId }]);
  }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + leaseMs);
}

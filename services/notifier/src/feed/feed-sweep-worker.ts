import type { Clock } from '@billing/chassis/clock';
import { appendableSince } from './append-to-feed';
import type { FeedAppender } from './feed-append-worker';
import type { FeedMessage } from './feed-run';
import type { FeedStore } from './feed-store';
import type { FeedSweepStore } from './feed-sweep-store';

export interface FeedSweepWorkerDependencies {
  readonly feed: Pick<FeedStore, 'findAcceptedSince' | 'findPlaced'>;
  readonly sweeps: FeedSweepStore;
  readonly appender: Pick<FeedAppender, 'append'>;
  readonly clock: Clock;
}

// Time from the acceptance of a message until it is stored, and difference of the replicas' clocks.
const overlapMs = 2 * 60 * 1_000;
const batchSize = 500;

/**
 * Finds accepted messages without a position and appends them, in the order of their acceptance:
 * those of processes that died before the append or have no feed yet. The first sweep covers all
 * messages that are kept from before the feed.
 */
export class FeedSweepWorker {
  constructor(private readonly dependencies: FeedSweepWorkerDependencies) {}

  /** Sweeps all environments; ends early when the signal aborts. */
  async run(signal?: AbortSignal): Promise<void> {
    const { sweeps, clock } = this.dependencies;
    const startedAt = clock.now();
    const since = await this.start(startedAt);
    let hasFound = false;
    for await (const batch of this.dependencies.feed.findAcceptedSince(since, { batchSize })) {
      hasFound = true;
      await this.appendMissing(batch);
      const last = batch.at(-1);
      if (last !== undefined && last.acceptedAt < startedAt) await sweeps.record(last.acceptedAt);
      if (signal?.aborted === true) return;
    }
    // Nothing is found in the same time again, and an idle system writes nothing.
    if (hasFound) await sweeps.record(startedAt);
  }

  /** Appends what one environment lacks. */
  async sweep(environmentId: string): Promise<void> {
    const since = await this.start(this.dependencies.clock.now());
    const accepted = this.dependencies.feed.findAcceptedSince(since, { environmentId, batchSize });
    for await (const batch of accepted) await this.appendMissing(batch);
  }

  private async start(now: Date): Promise<Date> {
    const sweptUpTo = await this.dependencies.sweeps.sweptUpTo();
    const kept = appendableSince(now);
    if (sweptUpTo === undefined) return kept;
    const since = new Date(sweptUpTo.getTime() - overlapMs);
    return since < kept ? kept : since;
  }

  private async appendMissing(batch: readonly FeedMessage[]): Promise<void> {
    const { feed, appender } = this.dependencies;
    const numbered = batch.filter(({ sequence }) => sequence > 0);
    const environments = Map.groupBy(numbered, ({ environmentId }) => environmentId);
    const ids = numbered.map(({ _id }) => _id);
    const placed = await feed.findPlaced([...environments.keys()], ids);
    for (const [environmentId, messages] of environments) {
      const missing = messages.filter(({ _id }) => !placed.has(_id));
      if (missing.length > 0) await appender.append(environmentId, missing);
    }
  }
}

import type { FeedStore } from './feed-store';

const batchSize = 1_000;

/** Removes entries accepted before a time; ends early when the signal aborts. */
export async function removeOldEntries(
  feed: Pick<FeedStore, 'environments' | 'removeBefore'>,
  before: Date,
  signal?: AbortSignal,
): Promise<void> {
  for await (const environmentId of feed.environments()) {
    if (signal?.aborted === true) return;
    await feed.removeBefore(environmentId, before, batchSize);
  }
}

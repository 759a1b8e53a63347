import type { Collection, Document, Filter, WithId } from 'mongodb';
import { sleep } from '../clock';
import { jitter } from '../ids';
import { retryTransient } from '../mongo/mongo';
import type { StepCounts } from './recovery';

// Enough to keep the peers busy, and few enough to leave them time for each other's calls.
const inFlight = 16;
// Pauses of 0.1 s to 5 s between them: a peer that restarts is back before the last one.
const attemptsMax = 12;
const pauseMaxMs = 5_000;

const pageSize = 500;

/**
 * Yields all documents that match, in the order of their ids. They are read in pages, because a
 * cursor ends when nothing is read from it for long.
 */
export async function* inPages<D extends Document>(
  documents: Collection<D>,
  filter: Filter<D>,
): AsyncGenerator<WithId<D>> {
  let page: WithId<D>[] = [];
  do {
    const last = page.at(-1);
    const ofPage = last === undefined ? filter : { $and: [filter, { _id: { $gt: last._id } }] };
    page = await retryTransient(() =>
      documents
        .find(ofPage as Filter<D>)
        .sort({ _id: 1 })
        .limit(pageSize)
        .toArray(),
    );
    yield* page;
  } while (page.length === pageSize);
}

/**
 * Visits all documents, several at the same time, and adds up the counts. A visit that fails is
 * retried; one that keeps failing is counted by `onFailure`, and does not hold up the others.
 */
export async function visitAll<D>(
  found: AsyncIterable<D>,
  visit: (document: D) => Promise<StepCounts>,
  onFailure: (error: unknown, document: D) => StepCounts,
): Promise<StepCounts> {
  const counts: Record<string, number> = {};
  const running = new Set<Promise<void>>();
  for await (const document of found) {
    const run = visitWithRetries(document, visit, onFailure).then((news) => {
      addCounts(counts, news);
      running.delete(run);
    });
    running.add(run);
    if (running.size >= inFlight) await Promise.race(running);
  }
  await Promise.all(running);
  return counts;
}

async function visitWithRetries<D>(
  document: D,
  visit: (document: D) => Promise<StepCounts>,
  onFailure: (error: unknown, document: D) => StepCounts,
): Promise<StepCounts> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await visit(document);
    } catch (error) {
      if (attempt === attemptsMax) return onFailure(error, document);
      await sleep(Math.min(2 ** attempt * 50, pauseMaxMs) * jitter(0.2));
    }
  }
}

/** Adds counts to others. */
export function addCounts(counts: Record<string, number>, news: StepCounts): void {
  for (const [name, count] of Object.entries(news)) counts[name] = (counts[name] ?? 0) + count;
}

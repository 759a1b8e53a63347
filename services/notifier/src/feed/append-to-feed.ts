import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { type FeedMessage, planRun, predecessorOf } from './feed-run';
import type { FeedStore } from './feed-store';

/** Documents that an append reads and writes. */
export type FeedLog = Pick<FeedStore, 'lastPosition' | 'findPlaced' | 'findMessages' | 'insert'>;

const hour = 60 * 60 * 1_000;

/** Period of real time for which an event stays in the feed. */
const feedRetentionMs = 30 * 24 * hour;

// Shorter by far more than an append takes: a message that others no longer wait for is never
// placed behind its successor.
const appendableMs = feedRetentionMs - hour;

// Each lost race means that another process has placed messages.
const plansMax = 100;
// A run is one command.
const runMax = 500;

/** Result of an append. */
export interface Appended {
  /** Newest position that the append wrote; 0 if it wrote none. */
  readonly newest: number;
  /** Messages that wait for their predecessor. */
  readonly waiting: readonly FeedMessage[];
}

/** Start of the period from which messages are appended. */
export function appendableSince(now: Date): Date {
  return new Date(now.getTime() - appendableMs);
}

/**
 * Gives accepted messages of one environment the next positions of its feed. Any process may append
 * concurrently: a run is inserted in order and stops at the first duplicate, then is planned again.
 * A message whose predecessor lacks a position takes the predecessor along, or waits for it.
 */
export async function appendToFeed(
  environmentId: string,
  messages: readonly FeedMessage[],
  { log, clock }: { readonly log: FeedLog; readonly clock: Clock },
): Promise<Appended> {
  const now = clock.now();
  let newest = 0;
  let left = messages.filter(
    ({ sequence, acceptedAt }) => sequence > 0 && acceptedAt >= appendableSince(now),
  );
  for (let plan = 1; plan <= plansMax; plan += 1) {
    const { candidates, placed, passed } = await withPredecessors(environmentId, left, {
      log,
      now,
    });
    const end = await log.lastPosition(environmentId);
    const planned = planRun(
      candidates,
      (id) => placed.has(id),
      (id) => passed.has(id),
    );
    const run = planned.slice(0, runMax);
    if (run.length === 0) {
      return { newest, waiting: candidates.filter(({ _id }) => !placed.has(_id)) };
    }
    const inserted = await log.insert(environmentId, end, run);
    if (inserted > 0) newest = end + inserted;
    const done = new Set(run.slice(0, inserted).map(({ _id }) => _id));
    left = candidates.filter(({ _id }) => !placed.has(_id) && !done.has(_id));
    if (left.length === 0) return { newest, waiting: [] };
  }
  throw new DomainError('unavailable', 'FEED_CONTENDED', 'Service unavailable');
}

/**
 * Adds the messages before the given ones that have no position. A predecessor is passed if it is
 * in the feed, or if retention has removed it from there or will not let it in.
 */
async function withPredecessors(
  environmentId: string,
  messages: readonly FeedMessage[],
  { log, now }: { readonly log: FeedLog; readonly now: Date },
): Promise<{
  candidates: readonly FeedMessage[];
  placed: ReadonlySet<string>;
  passed: ReadonlySet<string>;
}> {
  const keptSince = new Date(now.getTime() - feedRetentionMs);
  const candidates = new Map(messages.map((message) => [message._id, message]));
  const placed = new Set<string>();
  const passed = new Set<string>();
  let examined: readonly FeedMessage[] = messages;
  while (examined.length > 0) {
    const before = examined.flatMap((message) => predecessorOf(message) ?? []);
    const ids = [...examined.map(({ _id }) => _id), ...before];
    for (const id of await log.findPlaced([environmentId], ids)) placed.add(id);
    const lacking = before.filter((id) => !placed.has(id) && !candidates.has(id));
    const stored = await log.findMessages(environmentId, lacking);
    const found = new Map(stored.map((message) => [message._id, message]));
    for (const id of before) {
      const predecessor = candidates.get(id) ?? found.get(id);
      if (placed.has(id) || predecessor === undefined || predecessor.acceptedAt < keptSince) {
        passed.add(id);
      }
    }
    examined = stored.filter(({ acceptedAt }) => acceptedAt >= appendableSince(now));
    for (const message of examined) candidates.set(message._id, message);
  }
  return { candidates: [...candidates.values()], placed, passed };
}

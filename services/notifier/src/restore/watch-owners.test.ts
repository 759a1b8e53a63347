import type { SeenEntry } from '../message/cursor-store';
import { OwnerWatch } from './watch-owners-worker';

const now = new Date('2026-11-28T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 60 * 60_000);
const entry = (id: string, hours = 1): SeenEntry => ({ id, insertedAt: hoursAgo(hours) });

/** Looks once, and returns the entries that are stored as lost; undefined: nothing is stored. */
async function look({
  recent,
  lost = [],
  log,
}: {
  recent: readonly SeenEntry[];
  lost?: readonly SeenEntry[];
  /** The owner's log; undefined: the owner does not answer. */
  log: readonly SeenEntry[] | undefined;
}) {
  const alarms: unknown[] = [];
  let stored: readonly SeenEntry[] | undefined;
  const cursor = { _id: 'checkout', position: '', insertedAt: now, recent };
  const watch = new OwnerWatch({
    owners: [
      {
        name: 'checkout',
        // Each page has one entry.
        find: async (ids) => {
          if (log === undefined) throw new Error('Service unavailable');
          const [first, ...more] = log.filter(({ id }) => ids.includes(id));
          const facts = { position: '', envelope: '', traceparent: undefined };
          const entries = first === undefined ? [] : [{ ...first, ...facts }];
          return { entries, hasMore: more.length > 0 };
        },
      },
    ],
    cursors: { findAll: () => Promise.resolve(new Map([['checkout', cursor]])) },
    lost: {
      findAll: () => Promise.resolve(new Map([['checkout', lost]])),
      replace: async (_owner, entries) => {
        stored = entries;
      },
    },
    clock: { now: () => now },
    logger: {
      error: (facts: unknown) => alarms.push(facts),
      warn: () => undefined,
    } as never,
  });
  await watch.run();
  return { stored, alarms: alarms.length };
}

const [a, b, c] = [entry('a', 3), entry('b', 2), entry('c', 1)];
// Work of a database that was put back has the same ids, and is logged later.
const again = { a: entry('a', 0.5), b: entry('b', 0.5) };
// An entry that a killed database lost, and its outbox logged again.
const soon = { ...b, insertedAt: new Date(b.insertedAt.getTime() + 60_000) };
const old = entry('a', 25);

test.each([
  ['all entries are there', { recent: [a, b], log: [a, b] }, undefined, 0],
  ['nothing was read', { recent: [], log: [] }, undefined, 0],
  ['the newest is missing', { recent: [a, b], log: [a] }, [b], 1],
  ['an older one is missing', { recent: [a, b], log: [b] }, [a], 1],
  ['the newest was made again', { recent: [a, b], log: [a, again.b] }, [b], 1],
  ['the newest was logged again after a crash', { recent: [a, b], log: [a, soon] }, undefined, 0],
  ['all were made again', { recent: [a, b], log: [again.a, again.b] }, [a, b], 1],
  ['one was made again and read', { recent: [a, b, again.a], log: [b, again.a] }, [a], 1],
  ['the missing one is older than a day', { recent: [old], log: [] }, undefined, 0],
  ['the one made again is older than a day', { recent: [old], log: [again.a] }, undefined, 0],
  ['the owner does not answer', { recent: [a], log: undefined }, undefined, 0],
  ['one stays missing, and newer ones were read', { recent: [c], lost: [b], log: [c] }, [b], 0],
  ['a missing one was made again', { recent: [c], lost: [b], log: [c, again.b] }, [b], 0],
  [
    'a missing one was made again and read',
    { recent: [again.b], lost: [b], log: [again.b] },
    [b],
    0,
  ],
  ['another one is missing, too', { recent: [c], lost: [b], log: [] }, [b, c], 0],
  ['a missing one is back', { recent: [b], lost: [b], log: [b] }, [], 0],
  ['a day has passed', { recent: [], lost: [old], log: [] }, [], 0],
])('where %s', async (_case, facts, stored, alarms) => {
  expect(await look(facts)).toEqual({ stored, alarms });
});

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
  /** Ids in the owner's log; undefined: the owner does not answer. */
  log: readonly string[] | undefined;
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
          const [id, ...more] = ids.filter((one) => log.includes(one));
          const facts = { position: '', insertedAt: now, envelope: '', traceparent: undefined };
          return { entries: id === undefined ? [] : [{ id, ...facts }], hasMore: more.length > 0 };
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
  return { stored: stored?.map(({ id }) => id), alarms: alarms.length };
}

test.each([
  ['all entries are there', { recent: [entry('a'), entry('b')], log: ['a', 'b'] }, undefined, 0],
  ['nothing was read', { recent: [], log: [] }, undefined, 0],
  ['the newest is missing', { recent: [entry('a'), entry('b')], log: ['a'] }, ['b'], 1],
  ['an older one is missing', { recent: [entry('a'), entry('b')], log: ['b'] }, ['a'], 1],
  ['the missing one is older than a day', { recent: [entry('a', 25)], log: [] }, undefined, 0],
  ['the owner does not answer', { recent: [entry('a')], log: undefined }, undefined, 0],
  [
    'one stays missing although newer ones were read',
    { recent: [entry('c')], lost: [entry('b')], log: ['c'] },
    ['b'],
    0,
  ],
  ['a missing one is back', { recent: [entry('b')], lost: [entry('b')], log: ['b'] }, [], 0],
  ['a day has passed', { recent: [], lost: [entry('b', 25)], log: [] }, [], 0],
])('where %s', async (_case, facts, stored, alarms) => {
  expect(await look(facts)).toEqual({ stored, alarms });
});

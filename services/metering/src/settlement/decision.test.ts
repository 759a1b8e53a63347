import { Decimal } from '@billing/kernel/decimal';
import fc from 'fast-check';
import type { CreditAccount, CreditGrant } from '../credit/account';
import type { HourVersion } from '../usage/hour';
import { changesIn, decideWindows, knownWindows, nextStep, undecided } from './decision';

const hourMs = 3_600_000;
const day = new Date('2026-03-01T00:00:00Z').getTime();
const at = (hour: number) => new Date(day + hour * hourMs);
const series = { customerId: 'c', meterId: 'm', aggregation: 'SUM', uniqueProperty: null } as const;

function aVersion(hour: number, change: Partial<HourVersion> = {}): HourVersion {
  return { hour: at(hour), version: 1, isPending: false, events: 0, ...change };
}

describe('the change count of a window', () => {
  const window = { start: new Date(day + hourMs / 2), end: at(2) };
  const past = { isManual: false, now: at(3) };

  test.each<[string, readonly HourVersion[], { isManual: boolean; now: Date }, number | null]>([
    ['is 0 without stored hours', [], past, 0],
    [
      'sums the changes of the hours that the window overlaps',
      [0, 1, 2].map((h) => aVersion(h, { version: 3 })),
      past,
      6,
    ],
    [
      'is unknown while a batch is announced in one of its hours',
      [aVersion(0, { isPending: true })],
      past,
      null,
    ],
    ['does not depend on batches in other hours', [aVersion(2, { isPending: true })], past, 0],
    [
      'is unknown while events may arrive without an announcement',
      [],
      { isManual: false, now: at(2) },
      null,
    ],
    ['is known at any time on a manual clock', [], { isManual: true, now: at(0) }, 0],
  ])('%s', (_what, hours, clock, changes) => {
    expect(changesIn(window, hours, clock)).toBe(changes);
  });
});

test('a step reads no more events than can be decided in about a second', () => {
  const account: CreditAccount = {
    id: 'a',
    customerId: 'c',
    meterId: 'm',
    grants: [],
    consumptions: [],
    burns: [],
  };
  const windows = [0, 1, 2, 3].map((index) => ({
    periodIndex: index,
    start: at(index),
    end: at(index + 1),
    includedUnits: '0',
    taken: [],
  }));
  const decider = { subscriptionId: 's', settlement: 'k', series };
  const step = (events: readonly number[]) => {
    const hours = events.map((count, hour) => aVersion(hour, { events: count }));
    const known = knownWindows(account, windows, { decider, hours, isManual: true, now: at(9) });
    return nextStep(account, known, decider).length;
  };
  expect(step([0, 0, 0, 0])).toBe(4);
  expect(step([9_000, 9_000, 9_000, 0])).toBe(2);
  expect(step([1_000_000, 0, 1, 0])).toBe(1);
  expect(step([0, 1_000_000, 1, 0])).toBe(2);
});

/** Usage of four windows of one hour each, and the changes before each settlement. */
const anyRound = fc.record({
  /** Units added per half window, each as a visible change; below 0: returned. */
  added: fc.array(fc.record({ half: fc.nat({ max: 7 }), units: fc.integer({ min: -5, max: 9 }) }), {
    maxLength: 2,
  }),
  grant: fc.option(
    fc.record({
      amount: fc.integer({ min: 1, max: 12 }),
      from: fc.nat({ max: 3 }),
      hours: fc.integer({ min: 1, max: 4 }),
    }),
    { nil: undefined },
  ),
  /** Units of the first grant burnt by another subscription. */
  others: fc.nat({ max: 3 }),
});

test('a settlement that reads only changed windows decides the same as one that reads everything', () => {
  fc.assert(
    fc.property(fc.array(anyRound, { minLength: 2, maxLength: 6 }), (rounds) => {
      const units = [0, 0, 0, 0, 0, 0, 0, 0];
      const versions = [1, 1, 1, 1];
      const empty: CreditAccount = {
        id: 'a',
        customerId: 'c',
        meterId: 'm',
        grants: [],
        consumptions: [],
        burns: [],
      };
      let [sparing, thorough] = [empty, empty];
      rounds.forEach(({ added, grant, others }, round) => {
        for (const { half, units: more } of added) {
          const window = Math.floor(half / 2);
          units[half] = (units[half] ?? 0) + more;
          versions[window] = (versions[window] ?? 0) + 1;
        }
        const change = (account: CreditAccount) =>
          withOthers(withGrant(account, round, grant), others);
        [sparing, thorough] = [change(sparing), change(thorough)];
        const settlement = `k${String(round)}`;
        sparing = settled(sparing, { settlement, units, versions });
        thorough = settled(thorough, { settlement, units, versions: undefined });
        expect(decisionsOf(sparing)).toBe(decisionsOf(thorough));
      });
    }),
    { numRuns: 500 },
  );
});

/** The decisions of an account and its daily burns. */
function decisionsOf({ consumptions, burns }: CreditAccount): string {
  const decided = consumptions
    .map(({ period, quantity, uses }) => ({ period, quantity, uses }))
    .toSorted((a, b) => (a.period < b.period ? -1 : 1));
  return JSON.stringify({ decided, burns });
}

function withGrant(
  account: CreditAccount,
  round: number,
  grant: { amount: number; from: number; hours: number } | undefined,
): CreditAccount {
  if (grant === undefined) return account;
  const added: CreditGrant = {
    id: `g${String(round)}`,
    amount: String(grant.amount),
    priority: 100,
    source: 'PAID',
    effectiveAt: at(grant.from),
    expiresAt: at(grant.from + grant.hours),
    createdAt: at(0),
  };
  return { ...account, grants: [...account.grants, added] };
}

function withOthers(account: CreditAccount, units: number): CreditAccount {
  const [first] = account.grants;
  if (first === undefined) return account;
  const others = account.consumptions.filter(({ period }) => period !== 'o:0');
  // At most the remaining units.
  const used = account.consumptions
    .filter(({ period }) => period !== 'o:0')
    .flatMap(({ uses }) => uses)
    .filter(({ grantId }) => grantId === first.id)
    .reduce((sum, { quantity }) => sum + Number(quantity), 0);
  const quantity = String(Math.max(0, Math.min(units, Number(first.amount) - used)));
  const uses = quantity === '0' ? [] : [{ grantId: first.id, quantity }];
  const consumption = { period: 'o:0', settlement: 'o', quantity, uses };
  return { ...account, consumptions: [...others, consumption] };
}

/**
 * The account after a settlement. Without versions everything is read, because changes are unknown.
 */
function settled(
  account: CreditAccount,
  {
    settlement,
    units,
    versions,
  }: { settlement: string; units: readonly number[]; versions: readonly number[] | undefined },
): CreditAccount {
  const decider = { subscriptionId: 's', settlement, series };
  const windows = [0, 1, 2, 3].map((index) => ({
    periodIndex: index,
    start: at(index),
    end: at(index + 1),
    includedUnits: '1',
    taken: [],
  }));
  const hours = (versions ?? []).map((version, hour) => aVersion(hour, { version }));
  const clock = { isManual: false, now: versions === undefined ? at(0) : at(9) };
  const known = knownWindows(account, windows, { decider, hours, ...clock });
  let after = account;
  for (let step = 0; step < 20; step += 1) {
    const left = undecided(after, known, decider);
    if (left.length === 0) return after;
    const read = nextStep(after, left, decider).map(({ known: one, isRead }) => ({
      ...one,
      usage: isRead ? usageOf(one.window, units) : undefined,
    }));
    const grantIds = new Set(after.grants.map(({ id }) => id));
    after = decideWindows(after, read, { decider, grantIds, now: at(9) });
  }
  throw new Error('Never decided');
}

function usageOf(
  { periodIndex, start }: { periodIndex: number; start: Date },
  units: readonly number[],
) {
  const spans = [0, 1].map((half) => {
    const quantity = Decimal.of(BigInt(units[2 * periodIndex + half] ?? 0)).toString();
    const total = { events: 1, quantity, latest: null, distinct: [] };
    return { start: new Date(start.getTime() + (half * hourMs) / 2), total };
  });
  return { spans };
}

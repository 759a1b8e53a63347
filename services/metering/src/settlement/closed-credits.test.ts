import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import fc from 'fast-check';
import {
  addGrant,
  consumedIn,
  type CreditAccount,
  type CreditGrant,
  decidedBy,
  emptyAccount,
  type GrantUse,
  periodKey,
} from '../credit/account';
import { close, type ClosedGrant, closingOf } from '../credit/closing';
import { monthOf, unclaimedKey } from '../credit/unsettled-usage';
import { usageOfUnits } from '../testing/window-usage';
import { decideWindows, openWindows } from './decision';

const dayMs = 86_400_000;
const begin = new Date('2026-01-01T00:00:00Z').getTime();
const at = (day: number) => new Date(begin + day * dayMs);
const series = { customerId: 'c', meterId: 'm', aggregation: 'SUM', uniqueProperty: null } as const;
const periodDays = 20;
const lateDays = 36;
const includedUnits = '1';

/** One period: grants and events while it runs, then its settlement. */
const anyRound = fc.record({
  grants: fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 9 }),
      day: fc.nat({ max: periodDays - 1 }),
      lasts: fc.option(fc.integer({ min: 1, max: 60 })),
      priority: fc.constantFrom(1, 2),
    }),
    { maxLength: 3 },
  ),
  /** Units by half of a period, so many periods ago; below 0: returned. */
  events: fc.array(
    fc.record({
      ago: fc.nat({ max: 2 }),
      half: fc.nat({ max: 1 }),
      units: fc.integer({ min: -3, max: 9 }),
    }),
    { maxLength: 4 },
  ),
  /** Days from the end of the period to its settlement. */
  delay: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
  isRepeated: fc.boolean(),
});

/** An account, and what was closed of it. */
interface Books {
  account: CreditAccount;
  readonly grants: Map<string, ClosedGrant>;
  readonly periods: Map<string, readonly GrantUse[]>;
}

const aBook = (): Books => ({
  account: emptyAccount({ id: 'a', customerId: 'c', meterId: 'm' }),
  grants: new Map(),
  periods: new Map(),
});

test('settlements burn the same whether grants are closed or not, and closed sums are exact', () => {
  let closings = 0;
  fc.assert(
    fc.property(fc.array(anyRound, { minLength: 4, maxLength: 7 }), (rounds) => {
      const [closing, plain] = [aBook(), aBook()];
      const units: number[] = [];
      let now = at(0);
      rounds.forEach(({ grants, events, delay, isRepeated }, index) => {
        grants.forEach((one, number) => {
          const grant = aGrant(`${String(index)}.${String(number)}`, index, one);
          for (const books of [closing, plain]) books.account = addGrant(books.account, grant);
        });
        for (const { ago, half, units: more } of events) {
          const slot = 2 * (index - ago) + half;
          const isLate = endOf(index - ago).getTime() + (lateDays - 1) * dayMs <= now.getTime();
          if (slot >= 0 && !isLate) units[slot] = (units[slot] ?? 0) + more;
        }
        now = new Date(Math.max(now.getTime(), endOf(index).getTime() + delay * dayMs));
        for (const settlement of isRepeated ? ['first', 'second'] : ['first']) {
          const key = `${settlement}:${String(index)}`;
          for (const books of [closing, plain]) settle(books, { key, index, units, now });
          expect(decisions(closing, index, key)).toEqual(decisions(plain, index, key));
          closeAll(closing, index, now);
        }
        expect(consumedBy(closing)).toEqual(consumedBy(plain));
        expectSums(closing);
      });
      closings += closing.grants.size;
    }),
    { numRuns: 1_000 },
  );
  expect(closings).toBeGreaterThan(1_000);
});

function aGrant(
  id: string,
  index: number,
  {
    amount,
    day,
    lasts,
    priority,
  }: { amount: number; day: number; lasts: number | null; priority: number },
): CreditGrant {
  const first = index * periodDays + day;
  return {
    id,
    amount: String(amount),
    priority,
    source: 'PAID',
    effectiveAt: at(first),
    expiresAt: lasts === null ? null : at(first + lasts),
    createdAt: at(first),
  };
}

const startOf = (index: number) => at(index * periodDays);
const endOf = (index: number) => at((index + 1) * periodDays);

/** The windows that subscription requests: those that events may have entered since the last. */
function windowsThrough(index: number) {
  const since = startOf(index).getTime() - lateDays * dayMs;
  return Array.from({ length: index + 1 }, (_one, periodIndex) => periodIndex)
    .filter((one) => one === index || endOf(one).getTime() > since)
    .map((periodIndex) => {
      const span = { start: startOf(periodIndex), end: endOf(periodIndex) };
      return { periodIndex, ...span, includedUnits, taken: [] };
    });
}

function settle(
  books: Books,
  { key, index, units, now }: { key: string; index: number; units: readonly number[]; now: Date },
): void {
  const decider = { subscriptionId: 's', settlement: key, series };
  const windows = windowsThrough(index);
  const read = openWindows(books.account, windows, decider).map((window) => ({
    window,
    usage: usageOf(window.periodIndex, units),
  }));
  const grantIds = new Set(books.account.grants.map(({ id }) => id));
  books.account = decideWindows(books.account, { windows, read, decider, grantIds, now });
}

function usageOf(index: number, units: readonly number[]) {
  const halves = [0, 1].map((half) => {
    const start = new Date(startOf(index).getTime() + (half * periodDays * dayMs) / 2);
    const end = new Date(start.getTime() + (periodDays * dayMs) / 2);
    return { span: { start, end }, units: units[2 * index + half] ?? 0 };
  });
  return usageOfUnits(halves);
}

function closeAll(books: Books, index: number, now: Date): void {
  const price: UsagePrice = {
    type: 'PER_UNIT',
    unitAmount: '1',
    tiers: null,
    includedUnits,
    packageSize: null,
    minimumAmount: null,
    maximumAmount: null,
  };
  const lived = Array.from({ length: index + 4 }, (_one, number) => ({
    subscriptionId: 's',
    index: number,
    span: { start: startOf(number), end: endOf(number) },
    entitled: true,
    currency: 'USD',
    prices: new Map([['m', price]]),
  }));
  // The subscription claims all usage: months burn nothing.
  const consumptions = monthsOf(now).map((period) => ({
    period,
    settlement: 'for good',
    quantity: '0',
    uses: [],
  }));
  const account = {
    ...books.account,
    consumptions: [...books.account.consumptions, ...consumptions],
  };
  const scope = { lived, now };
  const closing = closingOf(account, scope);
  for (const one of closing.grants) books.grants.set(one.terms.id, one);
  for (const { period, uses } of closing.periods) books.periods.set(period, uses);
  const after = close(account, closing, scope);
  const own = after.consumptions.filter(({ settlement }) => settlement !== 'for good');
  books.account = { ...after, consumptions: own };
}

function monthsOf(now: Date): string[] {
  return Array.from({ length: now.getUTCMonth() + 13 }, (_one, month) =>
    unclaimedKey(monthOf(new Date(Date.UTC(2026, month)))),
  );
}

function decisions({ account, periods }: Books, index: number, settlement: string) {
  return windowsThrough(index).map(({ periodIndex }) => {
    const period = periodKey('s', periodIndex);
    const decision = decidedBy(account, { period, settlement });
    const uses = decision?.isClosed === true ? periods.get(period) : decision?.uses;
    return { quantity: decision?.quantity, uses };
  });
}

function consumedBy({ account, grants }: Books) {
  const closed = [...grants].map(([id, { consumed }]) => [id, Decimal.parse(consumed)] as const);
  const all = [...consumedIn(account.consumptions), ...closed];
  return all
    .filter(([, units]) => units.unscaled !== 0n)
    .map(([id, units]) => `${id}: ${units.toString()}`)
    .toSorted();
}

function expectSums({ account: { closed, grants: open }, grants }: Books): void {
  const sum = (field: 'amount' | 'consumed') =>
    [...grants.values()].reduce((total, one) => total + Number(one[field]), 0);
  const { count, granted, consumed, expired } = closed ?? {
    ...{ count: 0, granted: '0', consumed: '0', expired: '0' },
  };
  expect([count, Number(granted), Number(consumed)]).toEqual([
    grants.size,
    sum('amount'),
    sum('consumed'),
  ]);
  expect(Number(granted)).toBe(Number(consumed) + Number(expired));
  const sums: Record<string, number> = { forever: Number(closed?.grantedForever ?? 0) };
  for (const one of closed?.expiring ?? []) sums[one.month.toISOString()] = Number(one.granted);
  const expected: Record<string, number> = { forever: 0 };
  for (const { terms, amount } of grants.values()) {
    const { expiresAt } = terms;
    const key = expiresAt === null ? 'forever' : monthOf(expiresAt).start.toISOString();
    expected[key] = (expected[key] ?? 0) + Number(amount);
  }
  expect(sums).toEqual(expected);
  expect(open.filter(({ id }) => grants.has(id))).toEqual([]);
}

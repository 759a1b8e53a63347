import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import fc from 'fast-check';
import {
  addGrant,
  consumedIn,
  type CreditAccount,
  type CreditGrant,
  emptyAccount,
  finalSettlement,
  grantsFor,
  periodKey,
} from '../credit/account';
import { burnCredits, compareGrants, coversAt } from '../credit/burning';
import { close, type ClosedGrant, closingOf } from '../credit/closing';
import {
  afterPeriod,
  completePeriods,
  isFinal,
  monthOf,
  unclaimedKey,
} from '../credit/unsettled-usage';
import { usageOfUnits } from '../testing/window-usage';
import type { Span } from '../usage/hour';
import { decideWindows, openWindows } from './decision';

const dayMs = 86_400_000;
const begin = new Date('2026-01-01T00:00:00Z').getTime();
const at = (day: number) => new Date(begin + day * dayMs);
const dayOf = (time: Date) => Math.floor((time.getTime() - begin) / dayMs);
const series = { customerId: 'c', meterId: 'm', aggregation: 'SUM', uniqueProperty: null } as const;
const days = 1_500;
const yearDays = 365;
const lateDays = 34;
const included = 3;
const none = Decimal.of(0n);

const yearAt = (index: number) => ({
  start: at(index * yearDays),
  end: at((index + 1) * yearDays),
});
const settledYears = Math.floor(days / yearDays);

/** Days that repeat: the grants and the units of each. */
const anyPattern = fc.array(
  fc.record({
    grants: fc.array(
      fc.record({
        amount: fc.integer({ min: 1, max: 9 }),
        lasts: fc.option(fc.integer({ min: 1, max: 500 })),
        priority: fc.constantFrom(1, 2),
      }),
      { maxLength: 2 },
    ),
    /** Units of events that arrive today, by the number of days that they are late. */
    units: fc.array(
      fc.record({ late: fc.nat({ max: lateDays }), units: fc.integer({ min: 1, max: 12 }) }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 5, maxLength: 40 },
);

test('a customer of a yearly plan is topped up daily for 1,500 days: each grant is consumed as in a plain recount, and closed 36 days after its last period', () => {
  fc.assert(
    fc.property(anyPattern, (pattern) => {
      const world = new World();
      for (let day = 0; day < days; day += 1) {
        const { grants, units } = pattern[day % pattern.length] ?? { grants: [], units: [] };
        if (day > 0 && day % yearDays === 0) world.settle(day / yearDays - 1, at(day));
        grants.forEach((one, number) => {
          world.grant(aGrant(`${String(day)}.${String(number)}`, day, one));
        });
        for (const { late, units: more } of units) world.use(day - late, more);
        // Uses up what the days of the pattern have granted.
        if (day % pattern.length === pattern.length - 1) world.use(day, grantedIn(pattern));
        if (day % 10 === 0) world.readAt(at(day));
      }
      world.readAt(at(days));
      expect(world.consumed()).toEqual(world.recount());
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

test('a customer of a yearly plan who has used up more than 1,000 grants that are still open gets another', () => {
  const world = new World();
  const amounts = [1, 2, 3];
  for (let day = 0; day < yearDays + 36; day += 1) {
    if (day === yearDays) world.settle(0, at(day));
    for (const amount of amounts) {
      const id = `${String(day)}.${String(amount)}`;
      world.grant(aGrant(id, day, { amount, lasts: null, priority: 1 }));
    }
    world.use(day, day === 0 ? 6 + included : 6);
  }
  world.use(yearDays, included);
  expect(world.account.grants).toHaveLength(3 * (yearDays + 36));
  world.readAt(at(yearDays + 36));
  expect(world.account.grants).toHaveLength(3 * 36);
});

function aGrant(
  id: string,
  day: number,
  { amount, lasts, priority }: { amount: number; lasts: number | null; priority: number },
): CreditGrant {
  return {
    ...{ id, amount: String(amount), priority, source: 'PAID' },
    ...{ effectiveAt: at(day), createdAt: at(day) },
    expiresAt: lasts === null ? null : at(day + lasts),
  };
}

function grantedIn(pattern: readonly { grants: readonly { amount: number }[] }[]): number {
  return pattern
    .flatMap(({ grants }) => grants)
    .reduce((sum, { amount }) => sum + amount, included);
}

/** An account, what was closed of it, and all that it was given. */
class World {
  account: CreditAccount = emptyAccount({ id: 'a', customerId: 'c', meterId: 'm' });
  private readonly granted: CreditGrant[] = [];
  private readonly closed = new Map<string, ClosedGrant>();
  private readonly units = new Map<number, number>();
  private last: { readonly now: Date; readonly consumed: Map<string, Decimal> } | undefined;

  grant(grant: CreditGrant): void {
    this.granted.push(grant);
    const isNear = this.account.grants.length >= 1_000;
    const consumed = isNear ? this.consumedAt(grant.createdAt) : undefined;
    this.account = addGrant(this.account, grant, consumed);
  }

  use(day: number, units: number): void {
    if (day >= 0) this.units.set(day, (this.units.get(day) ?? 0) + units);
  }

  settle(index: number, now: Date): void {
    const decider = { subscriptionId: 's', settlement: `period:${String(index)}`, series };
    const windows = [index - 1, index]
      .filter((periodIndex) => periodIndex >= 0)
      .map((periodIndex) => ({
        ...{ periodIndex, ...yearAt(periodIndex), includedUnits: String(included), taken: [] },
      }));
    const read = openWindows(this.account, windows, decider).map((window) => ({
      window,
      usage: this.usageOf(window),
    }));
    const grantIds = new Set(this.account.grants.map(({ id }) => id));
    this.account = decideWindows(this.account, { windows, read, decider, grantIds, now });
  }

  /** Acts as a read of the usage. */
  readAt(now: Date): void {
    for (const period of completePeriods(this.account, now)) {
      this.account = afterPeriod(this.account, period, {
        usage: this.usageOf(period.window),
        ...{ series, now },
      });
    }
    const lived = Array.from({ length: settledYears + 1 }, (_one, index) => ({
      ...{ subscriptionId: 's', index, span: yearAt(index), entitled: true, currency: 'USD' },
      prices: new Map([['m', price]]),
    })).filter(({ span }) => span.start <= now);
    const scope = { lived, now };
    // The subscription claims all usage: months burn nothing.
    const account = {
      ...this.account,
      consumptions: [...this.account.consumptions, ...claimedMonths],
    };
    const closing = closingOf(account, scope);
    for (const one of closing.grants) this.closed.set(one.terms.id, one);
    const after = close(account, closing, scope);
    const consumptions = after.consumptions.filter(
      ({ settlement }) => settlement !== finalSettlement,
    );
    this.account = { ...after, consumptions };
    expect(this.leftOpen(now)).toEqual([]);
  }

  /** Grants that are used up by periods that ended more than 36 days ago, and are still open. */
  private leftOpen(now: Date): readonly string[] {
    const { consumptions, grants } = this.account;
    const indexOf = (period: string) => Number(period.split(':')[1]);
    const over = consumptions.filter(({ period }) => isFinal(yearAt(indexOf(period)), now));
    if (over.length === 0) return [];
    const [all, early] = [consumedIn(consumptions), consumedIn(over)];
    return grants
      .filter(({ id, amount }) => {
        const [used, usedEarly] = [all.get(id) ?? none, early.get(id) ?? none];
        return used.compare(usedEarly) === 0 && Decimal.parse(amount).compare(usedEarly) <= 0;
      })
      .map(({ id }) => id);
  }

  /** Units of each grant that the settled years have consumed. */
  consumed(): Record<string, number> {
    const used = new Map<string, number>();
    for (const [id, units] of consumedIn(this.account.consumptions))
      used.set(id, Number(units.toString()));
    for (const [id, { consumed }] of this.closed) used.set(id, Number(consumed));
    return positive(used);
  }

  /** The same, from all grants and all usage: unit by unit in order of time. */
  recount(): Record<string, number> {
    const used = new Map<string, number>();
    const ordered = this.granted.toSorted(compareGrants);
    for (let index = 0; index < settledYears; index += 1) {
      const { start, end } = yearAt(index);
      let free = included;
      for (let day = dayOf(start); day < dayOf(end); day += 1) {
        let open = this.units.get(day) ?? 0;
        const isFree = Math.min(free, open);
        [free, open] = [free - isFree, open - isFree];
        for (const grant of ordered) {
          if (open === 0) break;
          if (!coversAt(grant, at(day))) continue;
          const units = Math.min(open, Number(grant.amount) - (used.get(grant.id) ?? 0));
          used.set(grant.id, (used.get(grant.id) ?? 0) + units);
          open -= units;
        }
      }
    }
    return positive(used);
  }

  private consumedAt(now: Date): Map<string, Decimal> {
    if (this.last?.now.getTime() === now.getTime()) return this.last.consumed;
    const index = Math.floor(dayOf(now) / yearDays);
    const { spans } = this.usageOf({ start: yearAt(index).start, end: now });
    const usages = spans.map(({ span, total }) => ({
      at: span.start,
      quantity: Decimal.parse(total.quantity ?? '0'),
    }));
    const grants = grantsFor(this.account, periodKey('s', index));
    const { uses } = burnCredits(grants, usages, Decimal.of(BigInt(included)));
    const consumed = consumedIn(this.account.consumptions);
    for (const { grantId, quantity } of uses) {
      consumed.set(grantId, (consumed.get(grantId) ?? none).add(quantity));
    }
    this.last = { now, consumed };
    return consumed;
  }

  private usageOf({ start, end }: Span) {
    const first = dayOf(start);
    return usageOfUnits(
      Array.from({ length: dayOf(end) - first }, (_one, day) => ({
        span: { start: at(first + day), end: at(first + day + 1) },
        units: this.units.get(first + day) ?? 0,
      })).filter(({ units }) => units > 0),
    );
  }
}

const price: UsagePrice = {
  ...{ type: 'PER_UNIT', unitAmount: '1', tiers: null, packageSize: null },
  ...{ includedUnits: String(included), minimumAmount: null, maximumAmount: null },
};

const claimedMonths = Array.from({ length: 12 * (settledYears + 2) }, (_one, month) => ({
  ...{
    period: unclaimedKey(monthOf(new Date(Date.UTC(2026, month)))),
    settlement: finalSettlement,
  },
  ...{ quantity: '0', uses: [] },
}));

function positive(used: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...used].filter(([, units]) => units > 0));
}

import { TotalsSum } from '@billing/chassis/running-totals';
import type { BillingInterval } from '@billing/kernel/billing-period';
import fc from 'fast-check';
import { cancel, uncancel } from '../lifecycle/cancellation';
import { applyCollectionResult } from '../lifecycle/collection';
import { takeDueStep } from '../lifecycle/due-steps';
import { type ReportedStep, stepsReached } from '../subscription/reached-step';
import { monthlyAmount } from '../subscription/monthly-amount';
import {
  currencyOf,
  mainItem,
  type PriceSnapshot,
  type Subscription,
} from '../subscription/subscription';
import {
  aCreation,
  aNewSubscription,
  anInput,
  aPrice,
  aSubscription,
  at,
  day,
} from '../testing/fixtures';
import { addendOf, monthOf, type Recurring, type RevenueRow } from './recurring-revenue';
import { monthsUntil, recurringCount, revenueReport, type RevenueSums } from './revenue-report';

type Interval = Exclude<BillingInterval, 'ONE_TIME'>;

test.each<[Interval, number, bigint, bigint]>([
  ['MONTHLY', 1, 2900n, 2900n],
  ['MONTHLY', 6, 10_000n, 1667n],
  ['QUARTERLY', 1, 1000n, 333n],
  ['QUARTERLY', 2, 1000n, 167n],
  ['YEARLY', 1, 10_000n, 833n],
  // Exactly a half is rounded up.
  ['YEARLY', 1, 6n, 1n],
  ['YEARLY', 1, 5n, 0n],
  ['YEARLY', 5, 60_000n, 1000n],
  ['WEEKLY', 1, 700n, 3033n],
  ['WEEKLY', 2, 1200n, 2600n],
  ['DAILY', 1, 12n, 365n],
  ['DAILY', 365, 12_000n, 1000n],
  ['MONTHLY', 1, 0n, 0n],
])('%s, every %i, at %i is %i a month', (billingInterval, intervalCount, amount, expected) => {
  const price = aPrice({ billingInterval, intervalCount, amount });
  expect(monthlyAmount([{ price, quantity: 1 }])).toBe(expected);
});

test('units and tiers count as they are billed', () => {
  const tiers = [
    { upTo: '10', unitAmount: '100', flatAmount: '0' },
    { upTo: null, unitAmount: '50.5', flatAmount: '200' },
  ];
  const ofPrice = (price: Partial<PriceSnapshot>, quantity: number) =>
    monthlyAmount([{ price: aPrice(price), quantity }]);
  expect(ofPrice({ type: 'PER_UNIT', amount: 300n }, 7)).toBe(2100n);
  expect(ofPrice({ type: 'TIERED', tiers }, 13)).toBe(1000n + 200n + 152n);
  expect(ofPrice({ type: 'VOLUME', tiers }, 13)).toBe(200n + 657n);
});

test('items count together and are rounded once', () => {
  const yearly = (amount: bigint) => aPrice({ billingInterval: 'YEARLY', amount });
  const items = [5n, 5n, 5n].map((amount) => ({ price: yearly(amount), quantity: 1 }));
  expect(items.map((item) => monthlyAmount([item]))).toEqual([0n, 0n, 0n]);
  const [main, ...others] = items;
  if (main === undefined) throw new Error('No items');
  expect(monthlyAmount([main, ...others])).toBe(1n);
});

test('exact charges of the items are added before they are rounded', () => {
  const tiers = [{ upTo: null, unitAmount: '1.3', flatAmount: '0' }];
  const tiered = (unitAmount = '1.3') =>
    aPrice({ type: 'TIERED', tiers: tiers.map((tier) => ({ ...tier, unitAmount })) });
  const item = { price: tiered(), quantity: 1 };
  expect(monthlyAmount([item])).toBe(1n);
  // 2.6, where each line is billed as 1.
  expect(monthlyAmount([item, item])).toBe(3n);
  // 0.5 is rounded up, once.
  const half = { price: tiered('0.25'), quantity: 1 };
  expect(monthlyAmount([half, half])).toBe(1n);
});

test('the exact monthly amount is within half a unit of the sum of the exact charges', () => {
  const unitAmount = fc.integer({ min: 0, max: 99_999 }).map((n) => (n / 1000).toFixed(3));
  const item = fc.record({ unitAmount, quantity: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(item, fc.array(item, { maxLength: 5 }), (first, others) => {
      const toItem = (one: typeof first) => {
        const tiers = [{ upTo: null, unitAmount: one.unitAmount, flatAmount: '0' }];
        return { price: aPrice({ type: 'TIERED', tiers }), quantity: one.quantity };
      };
      const thousandths = [first, ...others].reduce(
        (sum, one) => sum + Math.round(Number(one.unitAmount) * 1000) * one.quantity,
        0,
      );
      const amount = monthlyAmount([toItem(first), ...others.map(toItem)]);
      expect(amount).toBe(BigInt(Math.floor((thousandths + 500) / 1000)));
    }),
  );
});

test('the steps of a subscription add up to 0, also with amounts as an earlier release rounded them', () => {
  const subscription = aSubscription();
  const revenue = [
    // The release before has rounded each item: 2899 is 2900 by the rule of today.
    { at: day('02-03'), kind: 'UPDATE' as const, before: 2900n, after: 5000n },
    { at: day('02-05'), kind: 'UPDATE' as const, before: 5001n, after: 4000n },
    { at: day('02-07'), kind: 'PAUSE' as const, before: 4001n, after: 0n },
    { at: day('02-09'), kind: 'RESUME' as const, before: 0n, after: 4000n },
  ];
  const { anchor, items } = subscription;
  const life = { anchor, items, revenue, startedAmount: 2899n, pausedAt: null };
  const recurring: Recurring = { ...life, endedAt: day('02-20') };
  const steps: ReportedStep[] = [
    'STARTED',
    ...revenue.map((_one, n) => `CHANGED_${n + 1}` as const),
  ];
  const net = [...steps, 'ENDED' as const].map((name) => {
    const { counts } = addendOf(recurring, name);
    const { startedAmount = 0n, expansion = 0n, reactivation = 0n } = counts;
    const { contraction = 0n, endedAmount = 0n } = counts;
    return startedAmount + expansion + reactivation - contraction - endedAmount;
  });
  expect(net).toEqual([2899n, 2101n, -1000n, -4000n, 4000n, -4000n]);
});

describe('a step is reached', () => {
  const trial = aPrice({ trialDays: 14 });

  test.each<[string, Subscription, ReportedStep[]]>([
    ['by what is billed at once', aSubscription(), ['STARTED']],
    ['by nothing that is still to start', aSubscription({ startAt: day('03-01') }), []],
    ['by a trial', aSubscription({}, { price: trial }), ['TRIAL_BEGUN']],
    [
      'by no trial that is still to start',
      aSubscription({ startAt: day('03-01') }, { price: trial }),
      [],
    ],
    [
      'by a trial that was over before the subscription was created',
      aSubscription({ startAt: day('01-01') }, { price: trial }),
      ['TRIAL_BEGUN', 'TRIAL_LEFT', 'STARTED'],
    ],
    [
      'by a trial that is billed',
      takeDueStep(aSubscription({}, { price: trial }), at(day('02-14'))).state,
      ['TRIAL_BEGUN', 'TRIAL_LEFT', 'STARTED'],
    ],
    [
      'by a canceled trial',
      cancel(aSubscription({}, { price: trial }), { ...at(day('02-03')), atPeriodEnd: false })
        .state,
      ['TRIAL_BEGUN', 'TRIAL_LEFT'],
    ],
    [
      'by an end',
      cancel(aSubscription(), { ...at(day('02-03')), atPeriodEnd: false }).state,
      ['STARTED', 'ENDED'],
    ],
    [
      'by no end that is still to come',
      cancel(aSubscription(), { ...at(day('02-03')), atPeriodEnd: true }).state,
      ['STARTED'],
    ],
  ])('%s', (_name, subscription, expected) => {
    expect(stepsReached(subscription)).toEqual(expected);
  });
});

describe('a report', () => {
  const sums = (parts: Partial<RevenueSums>): RevenueSums => ({
    month: '2026-01',
    currency: 'USD',
    started: 0n,
    startedAmount: 0n,
    ended: 0n,
    endedAmount: 0n,
    expansion: 0n,
    contraction: 0n,
    reactivation: 0n,
    ...parts,
  });

  test('spans months up to now, over the turn of a year', () => {
    expect(monthsUntil(new Date('2026-02-28T23:59:59.999Z'), 4)).toEqual([
      '2025-11',
      '2025-12',
      '2026-01',
      '2026-02',
    ]);
    expect(monthsUntil(new Date('9999-12-31T00:00:00Z'), 1)).toEqual(['9999-12']);
  });

  test('opens with what came before, and shows a month in which nothing happened', () => {
    const rows = [
      sums({ month: '2025-06', started: 3n, startedAmount: 300n }),
      sums({ month: '2025-12', ended: 1n, endedAmount: 100n }),
      sums({ month: '2025-12', currency: 'EUR', started: 1n, startedAmount: 7n }),
    ];
    const [eur, usd] = revenueReport(rows, ['2025-11', '2025-12', '2026-01']);
    expect(eur).toMatchObject({ currency: 'EUR' });
    expect(eur?.months.map(({ mrr }) => mrr)).toEqual([0n, 7n, 7n]);
    expect(usd).toMatchObject({ currency: 'USD' });
    expect(usd?.months.map(({ mrr }) => mrr)).toEqual([300n, 200n, 200n]);
    expect(recurringCount(rows)).toBe(3n);
  });
});

// Many concurrent lives. Each write adds its steps to sums, as the database does; at every moment
// the sums equal a direct count over all subscriptions.

type Step =
  | {
      readonly kind: 'create';
      readonly startsIn: number | null;
      readonly price: PriceSnapshot;
      readonly quantity: number;
    }
  | { readonly kind: 'wait'; readonly days: number }
  | { readonly kind: 'wake'; readonly which: number }
  | { readonly kind: 'uncancel'; readonly which: number }
  | { readonly kind: 'cancel'; readonly which: number; readonly atPeriodEnd: boolean }
  | {
      readonly kind: 'result';
      readonly which: number;
      readonly outcome: 'SUCCEEDED' | 'FAILED' | 'UNCOLLECTIBLE';
    };

const price: fc.Arbitrary<PriceSnapshot> = fc
  .record({
    type: fc.constantFrom('FLAT' as const, 'PER_UNIT' as const),
    currency: fc.constantFrom('USD', 'EUR'),
    amount: fc.bigInt(0n, 100_000n),
    billingInterval: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'),
    intervalCount: fc.integer({ min: 1, max: 5 }),
    trialDays: fc.constantFrom(null, 0, 7, 30),
  })
  .map((parts) => aPrice(parts as Partial<PriceSnapshot>));
const which = fc.nat(7);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    startsIn: fc.constantFrom(null, -40, -3, 5, 40),
    price,
    quantity: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(1, 7, 20) }),
  fc.record({ kind: fc.constant('uncancel' as const), which }),
  fc.record({ kind: fc.constant('wake' as const), which }),
  fc.record({ kind: fc.constant('cancel' as const), which, atPeriodEnd: fc.boolean() }),
  fc.record({
    kind: fc.constant('result' as const),
    which,
    outcome: fc.constantFrom('SUCCEEDED' as const, 'FAILED' as const, 'UNCOLLECTIBLE' as const),
  }),
);

test('the sums of steps equal a direct count over all subscriptions at every moment', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const shop = new Shop();
      for (const one of steps) {
        shop.take(one);
        expect(shop.added()).toEqual(shop.counted());
      }
    }),
    { numRuns: 300 },
  );
});

class Shop {
  private now = day('06-15');
  private readonly all: Subscription[] = [];
  private readonly sum = new TotalsSum();

  take(one: Step): void {
    if (one.kind === 'wait') {
      this.now = new Date(this.now.getTime() + one.days * 86_400_000);
      return;
    }
    if (one.kind === 'create') {
      const startAt =
        one.startsIn === null ? null : new Date(this.now.getTime() + one.startsIn * 86_400_000);
      const input = anInput({ startAt, quantity: one.quantity });
      const creation = aCreation({ price: one.price, ...at(this.now) });
      this.write(undefined, aNewSubscription(input, creation).state);
      return;
    }
    const subscription = this.all[one.which];
    if (subscription !== undefined) this.write(one.which, this.changed(subscription, one));
  }

  private changed(
    current: Subscription,
    one: Exclude<Step, { kind: 'wait' | 'create' }>,
  ): Subscription {
    const decision = at(this.now);
    if (one.kind === 'wake') return takeDueStep(current, decision).state;
    if (one.kind === 'cancel')
      return cancel(current, { ...decision, atPeriodEnd: one.atPeriodEnd }).state;
    if (one.kind === 'uncancel') return this.uncanceled(current);
    const [invoice] = current.openInvoices;
    if (invoice === undefined) return current;
    const result = {
      invoiceId: invoice.invoiceId,
      resultNumber: invoice.lastResult + 1,
      outcome: one.outcome,
      collectionMethod: 'CHARGE_AUTOMATICALLY' as const,
      payment: { invoice: undefined, attempt: 1, nextAttemptAt: null },
    };
    return applyCollectionResult(current, result, decision).state;
  }

  // An overdue end comes first; then there is no cancellation to undo.
  private uncanceled(current: Subscription): Subscription {
    if (current.status === 'CANCELED') return current;
    try {
      return uncancel(current, at(this.now)).state;
    } catch {
      return takeDueStep(current, at(this.now)).state;
    }
  }

  private write(index: number | undefined, after: Subscription): void {
    const before = index === undefined ? undefined : this.all[index];
    const known = before === undefined ? [] : stepsReached(before);
    const reached = stepsReached(after);
    expect(reached).toEqual(expect.arrayContaining(known));
    for (const one of reached.filter((name) => !known.includes(name))) {
      const { row, counts } = addendOf(recurringOf(after), one);
      this.sum.add({ row: keyOf(row), counts });
    }
    this.all[index ?? this.all.length] = after;
  }

  added(): Record<string, unknown> {
    const rows = [...this.sum.totals()].filter(([key]) => key !== presentKey);
    const sums = rows.map(([key, counts]) => {
      const [month = '', currency = ''] = key.split(' ');
      const { started = 0n, startedAmount = 0n, ended = 0n, endedAmount = 0n } = counts;
      const { expansion = 0n, contraction = 0n, reactivation = 0n } = counts;
      const grown = { expansion, contraction, reactivation };
      return { month, currency, started, startedAmount, ended, endedAmount, ...grown };
    });
    return {
      trialing: this.sum.totals().get(presentKey)?.trialing ?? 0n,
      recurring: recurringCount(sums),
      mrr: Object.fromEntries(
        revenueReport(sums, shownMonths).map(({ currency, months }) => [
          currency,
          months.map(({ mrr }) => Number(mrr)),
        ]),
      ),
    };
  }

  counted(): Record<string, unknown> {
    const recurring = this.all.filter(({ phase }) => phase === 'REGULAR');
    const billed = this.all.filter(({ periodIndex }) => periodIndex !== null);
    const currencies = [...new Set(billed.map(currencyOf))];
    return {
      trialing: BigInt(this.all.filter(({ phase }) => phase === 'TRIAL').length),
      recurring: BigInt(recurring.length),
      mrr: Object.fromEntries(
        currencies.map((currency) => [
          currency,
          shownMonths.map((month) =>
            billed
              .filter((one) => currencyOf(one) === currency && recursAtEndOf(one, month))
              .reduce((sum, one) => sum + plainMonthlyAmount(one), 0),
          ),
        ]),
      ),
    };
  }
}

function recurringOf(subscription: Subscription): Recurring {
  const { anchor, endedAt, pausedAt, items, changes } = subscription;
  return { anchor, endedAt, pausedAt, items, ...changes };
}

const presentKey = 'present';
const shownMonths = monthsUntil(new Date('2030-01-01T00:00:00Z'), 60);

function keyOf(row: RevenueRow): string {
  return row.kind === 'PRESENT' ? presentKey : `${row.month} ${row.currency}`;
}

function recursAtEndOf({ anchor, endedAt }: Subscription, month: string): boolean {
  return monthOf(anchor) <= month && (endedAt === null || monthOf(endedAt) > month);
}

// In floating point, where a half is exact and everything else far enough from it.
function plainMonthlyAmount(subscription: Subscription): number {
  const { price, quantity } = mainItem(subscription);
  const { type, amount, billingInterval, intervalCount } = price;
  const charge = Number(amount) * (type === 'FLAT' ? 1 : quantity);
  const aYear = { DAILY: 365, WEEKLY: 52, MONTHLY: 12, QUARTERLY: 4, YEARLY: 1 }[billingInterval];
  return Math.round((charge * aYear) / (12 * intervalCount));
}

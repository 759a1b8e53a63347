import fc from 'fast-check';
import type { DrawnDiscount, DrawnPrice } from '../testing/life/catalog';
import { Life, type Schedule, type Step } from '../testing/life/life';
import { problemsOf } from '../testing/life/life-problems';
import type { ChargeOutcome } from '../testing/life/played-checkout';

// The service runs by its own code, with one subscription in memory and with neighbors that play
// the rules of theirs. What its documents sum to is compared with a second count.

const isNightly = process.env.TEST_TIER === 'nightly';
const runs = isNightly ? 10_000 : 150;
const timeoutMs = isNightly ? 60 * 60_000 : 300_000;
const hourMs = 3_600_000;

const priceCount = 7;
const meterCount = 2;
const discountCount = 4;

const meterPrice = fc.record({
  tenths: fc.integer({ min: 0, max: 300 }),
  included: fc.constantFrom(0, 100, 1_000),
});
const typeOfPrice = fc.constantFrom<DrawnPrice['type']>('FLAT', 'PER_UNIT', 'TIERED');
const priceOf = (interval: DrawnPrice['interval']): fc.Arbitrary<DrawnPrice> =>
  fc.record({
    type: typeOfPrice,
    interval: fc.constant(interval),
    tenths: fc.oneof(
      { arbitrary: fc.integer({ min: 10, max: 500_000 }), weight: 9 },
      { arbitrary: fc.constant(0), weight: 1 },
    ),
    meters: fc.array(fc.option(meterPrice, { freq: 2 }), {
      ...{ minLength: meterCount, maxLength: meterCount },
    }),
    tax: fc.constantFrom(0, 7_000, 8_875, 20_000),
  });
const prices: fc.Arbitrary<DrawnPrice[]> = fc
  .tuple(
    ...[priceOf('MONTHLY'), priceOf('MONTHLY'), priceOf('MONTHLY'), priceOf('MONTHLY')],
    ...[priceOf('YEARLY'), priceOf('WEEKLY'), priceOf('DAILY')],
  )
  .map((all) => [...all]);

const discountOf = (isFixed: boolean, max: number): fc.Arbitrary<DrawnDiscount> =>
  fc.record({
    isFixed: fc.constant(isFixed),
    value: fc.integer({ min: 1, max }),
    product: fc.option(fc.nat(3)),
    months: fc.constantFrom(null, 0, 2),
  });
const discount = fc.oneof(discountOf(false, 100), discountOf(true, 20_000));

const anyQuantity = fc.integer({ min: 1, max: 9 });
const requirePayment = fc.boolean();
const others = fc.array(fc.option(anyQuantity), { minLength: priceCount, maxLength: priceCount });
const mainProduct = fc.option(fc.nat(priceCount - 1));
const discountOrNone = fc.option(fc.nat(discountCount - 1));
const wantedDiscount = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 4 },
  { arbitrary: discountOrNone, weight: 1 },
);
const wantedQuantity = fc.option(anyQuantity, { freq: 3 });
const wantedOthers = fc.option(others, { freq: 2 });
const change: fc.Arbitrary<Step & { readonly kind: 'change' }> = fc.record({
  kind: fc.constant('change'),
  main: mainProduct,
  quantity: wantedQuantity,
  others: wantedOthers,
  discount: wantedDiscount,
  at: fc.constantFrom('NOW', 'NOW', 'AUTO', 'PERIOD_END'),
  proration: fc.oneof(
    { arbitrary: fc.constant('PRORATE'), weight: 6 },
    { arbitrary: fc.constant('NONE'), weight: 2 },
    { arbitrary: fc.constant('FULL_AND_RESET'), weight: 1 },
  ),
  collect: fc.constantFrom('NOW', 'NOW', 'NEXT_INVOICE'),
  requirePayment,
});

const pause: fc.Arbitrary<Step & { readonly kind: 'pause' }> = fc.record({
  kind: fc.constant('pause'),
  at: fc.constantFrom('NOW', 'PERIOD_END'),
  proration: fc.constantFrom('NONE', 'PRORATE'),
  resumeInDays: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 2 }),
});
const resume = fc.record({ kind: fc.constant('resume'), requirePayment });
const cancel = fc.record({
  kind: fc.constant('cancel'),
  atPeriodEnd: fc.boolean(),
  isCredited: fc.boolean(),
});
const takenBack = fc.record({ kind: fc.constantFrom('uncancel', 'withdraw') });
const ofInvoices = fc.record({
  kind: fc.constantFrom('retry', 'paySent', 'endCharges', 'openDrafts'),
});

// A token is good for 15 minutes.
const previewed: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('previewed'),
  asked: fc.oneof(
    { arbitrary: change, weight: 8 },
    { arbitrary: fc.oneof(pause, resume), weight: 2 },
    { arbitrary: cancel, weight: 1 },
  ),
  between: fc.oneof(
    { arbitrary: fc.constant(null), weight: 4 },
    { arbitrary: fc.oneof(takenBack, ofInvoices, change), weight: 2 },
  ),
  afterMs: fc.constantFrom(0, 0, 1, 60_000, 900_000, 900_001),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: change, weight: 8 },
  { arbitrary: previewed, weight: 5 },
  {
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 90 * hourMs }),
        fc.integer({ min: 1, max: 900 }).map((hours) => hours * hourMs),
      ),
    }),
    weight: 10,
  },
  { arbitrary: fc.record({ kind: fc.constant('reachEnd') }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('use'),
      meter: fc.nat(meterCount - 1),
      units: fc.integer({ min: 1, max: 800 }),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('thereAndBack'), quantity: anyQuantity }),
    weight: 2,
  },
  { arbitrary: pause, weight: 1 },
  { arbitrary: resume, weight: 2 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: takenBack, weight: 1 },
  { arbitrary: ofInvoices, weight: 9 },
);

const outcome: fc.Arbitrary<ChargeOutcome> = fc.oneof(
  { arbitrary: fc.constant('SUCCEEDED'), weight: 5 },
  { arbitrary: fc.constant('FAILED'), weight: 2 },
  { arbitrary: fc.constantFrom('HANGS', 'NOT_CHARGED'), weight: 2 },
);

const drawnLife = fc.record({
  isMetered: fc.boolean(),
  taxes: fc.constantFrom('NONE', 'ADDED', 'INCLUDED'),
  prices,
  discounts: fc.array(discount, { minLength: discountCount, maxLength: discountCount }),
  startAt: fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2028-12-31T00:00:00Z'),
    noInvalidDate: true,
  }),
  trialDays: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2 }),
  quantity: anyQuantity,
  hasOther: fc.boolean(),
  discount: fc.option(fc.nat(discountCount - 1)),
  isSentInvoices: fc.constantFrom(true, false, false),
  charges: fc.array(outcome, { minLength: 1, maxLength: 12 }),
  drafts: fc.array(fc.constantFrom(true, false, false, false), { minLength: 1, maxLength: 8 }),
  steps: fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
});

// Discounts of usage depend on the invoices that bill it, and the tax of a credit on the invoice
// that it lowers: the second count does not know them. So usage has no discount, and a tax that is
// added to prices is the same for all products.
const schedule: fc.Arbitrary<Schedule> = drawnLife.map(({ isMetered, taxes, ...life }) => {
  const ofAll = life.prices[0]?.tax ?? 0;
  const taxOf = (tax: number) => ({ NONE: 0, ADDED: ofAll, INCLUDED: tax })[taxes];
  return {
    ...life,
    ...(isMetered && { discount: null, steps: life.steps.map(withoutDiscount) }),
    pricesIncludeTax: taxes === 'INCLUDED',
    prices: life.prices.map(({ meters, tax, ...price }) => ({
      ...price,
      meters: isMetered ? meters : [],
      tax: taxOf(tax),
    })),
  };
});

function withoutDiscount<S extends Step>(one: S): S {
  if (one.kind === 'change') return { ...one, discount: undefined };
  if (one.kind !== 'previewed') return one;
  const { asked, between } = one;
  return {
    ...{ ...one, asked: withoutDiscount(asked) },
    between: between === null ? null : withoutDiscount(between),
  };
}

test(
  'any life of a subscription costs the price of each instant times its time',
  async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (one) => {
        const life = new Life(one);
        await life.begin();
        for (const next of one.steps) {
          if (life.hasEnded) break;
          await life.take(next);
          const problems = problemsOf(life);
          if (problems.length > 0) throw new Error(problems.join('\n'));
        }
      }),
      { numRuns: runs },
    );
  },
  timeoutMs,
);

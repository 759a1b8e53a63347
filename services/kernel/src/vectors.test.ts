import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addMonths,
  periodAt,
  periodContaining,
  trialEnd,
  type BillingInterval,
} from './billing-period';
import type { Charge } from './pricing/charge';
import { type Currency, exponentOf, parseCurrency } from './currency';
import { Decimal } from './decimal';
import {
  discountCodeKey,
  type DiscountSpan,
  discountsPeriod,
  redemptionRefusal,
} from './discount-validity';
import {
  appliesInCurrency,
  applyDiscount,
  type AppliedDiscount,
  type DiscountTerms,
} from './discounting';
import { DomainError } from './domain-error';
import { allocate, money, toMinor } from './money';
import { partOf, type Share, shareOf } from './proration/share';
import { creditAtNewCycle, placeCredits } from './proration/change-bill';
import { prorate, unusedTime } from './proration/prorated-change';
import { aUsagePrice } from './testing/prices';
import type { Tier } from './pricing/tiers';
import { usageCharge } from './pricing/usage-pricing';

// The vectors are recomputed cases of other billing systems; "rules" in each file explains its
// kinds.
interface VectorCase {
  readonly id: string;
  readonly given: { readonly kind?: string };
  readonly expect: unknown;
}

// Kind of the cases of a file with a single kind.
const ONLY_KIND = 'case';

// Check that reads given and expect in the shape of its kind. A case of another shape fails the
// check.
type Check = (given: never, expected: never) => void;

function runAll(file: string, checks: Record<string, Check>): void {
  const { cases } = JSON.parse(readFileSync(join(__dirname, '../vectors', file), 'utf8')) as {
    cases: VectorCase[];
  };

  test(`every kind of case in ${file} is checked`, () => {
    expect([...new Set(cases.map(kindOf))].toSorted()).toEqual(Object.keys(checks).toSorted());
  });

  test.each(cases.map((each) => [each.id, each] as const))('%s', (_id, each) => {
    expect.hasAssertions();
    checks[kindOf(each)]?.(each.given as never, each.expect as never);
  });
}

function kindOf({ given }: VectorCase): string {
  return given.kind ?? ONLY_KIND;
}

describe('currencies', () => {
  runAll('currencies.json', {
    exponent: (given: { currency: string }, expected: { exponent: number }) => {
      expect(exponentOf(parseCurrency(given.currency))).toBe(expected.exponent);
    },
    toMinor: (given: { currency: string; amount: string }, expected: { minor: number }) => {
      const currency = parseCurrency(given.currency);
      expect(toMinor(Decimal.parse(given.amount), currency)).toBe(BigInt(expected.minor));
    },
    code: (given: { currency: string }, expected: { accepted: boolean; stored?: string }) => {
      if (expected.accepted) expect(parseCurrency(given.currency)).toBe(expected.stored);
      else expect(() => parseCurrency(given.currency)).toThrow(DomainError);
    },
  });
});

interface Recurring {
  readonly anchor: string;
  readonly interval: BillingInterval;
  readonly intervalCount: number;
}

describe('periods', () => {
  runAll('periods.json', {
    series: (given: Recurring & { count: number }, expected: { boundaries: string[] }) => {
      expect(boundaries(new Date(given.anchor), given, given.count)).toEqual(
        expected.boundaries.map((boundary) => new Date(boundary)),
      );
    },
    next: (given: Recurring & { periodStart: string }, expected: { periodEnd: string }) => {
      const start = new Date(given.periodStart);
      expect(periodContaining(new Date(given.anchor), recurrenceOf(given), start)).toMatchObject({
        start,
        end: new Date(expected.periodEnd),
      });
    },
    containing: (given: Recurring & { at: string }, expected: { start: string; end: string }) => {
      const anchor = new Date(given.anchor);
      expect(periodContaining(anchor, recurrenceOf(given), new Date(given.at))).toMatchObject({
        start: new Date(expected.start),
        end: new Date(expected.end),
      });
    },
    trial: (
      given: { start: string; trialDays: number } & Partial<Recurring & { count: number }>,
      expected: { trialEnd: string; boundaries?: string[] },
    ) => {
      const anchor = trialEnd(new Date(given.start), given.trialDays);
      expect(anchor).toEqual(new Date(expected.trialEnd));
      if (expected.boundaries === undefined) return;
      expect(boundaries(anchor, given as Recurring, given.count ?? 0)).toEqual(
        expected.boundaries.map((boundary) => new Date(boundary)),
      );
    },
    add: (given: { start: string; months: number }, expected: { result: string }) => {
      expect(addMonths(new Date(given.start), given.months)).toEqual(new Date(expected.result));
    },
  });
});

function recurrenceOf({ interval, intervalCount }: Omit<Recurring, 'anchor'>) {
  return { billingInterval: interval, intervalCount };
}

/** Anchor and ends of the first `count` periods. */
function boundaries(anchor: Date, recurring: Omit<Recurring, 'anchor'>, count: number): Date[] {
  const periods = Array.from({ length: count }, (_, n) =>
    periodAt(anchor, recurrenceOf(recurring), n),
  );
  return [anchor, ...periods.map(({ end }) => end)];
}

interface Priced {
  readonly exact: string;
  readonly total: number;
}

/**
 * Charge in the form of a case. The total is a JSON number; large totals are inexact in the same
 * way as in the case.
 */
function priced({ amount, details }: Charge): Priced {
  expect(Decimal.parse(details.exactAmount).roundHalfUp()).toBe(amount);
  return { exact: details.exactAmount, total: Number(amount) };
}

describe('per-unit prices', () => {
  runAll('pricing-per-unit.json', {
    [ONLY_KIND]: (given: { unitAmount: string; quantity: string }, expected: Priced) => {
      const price = aUsagePrice({ type: 'PER_UNIT', unitAmount: given.unitAmount });
      expect(priced(usageCharge(price, given))).toEqual(expected);
    },
  });
});

describe.each([
  ['graduated', 'TIERED'],
  ['volume', 'VOLUME'],
] as const)('%s prices', (model, type) => {
  runAll(`pricing-${model}.json`, {
    [ONLY_KIND]: (given: { tiers: Tier[]; quantity: string }, expected: Priced) => {
      const price = aUsagePrice({ type, tiers: given.tiers });
      expect(priced(usageCharge(price, given))).toEqual(expected);
    },
  });
});

describe('package prices', () => {
  runAll('pricing-package.json', {
    [ONLY_KIND]: (
      given: { amount: string; size: string; freeUnits: string; quantity: string },
      expected: { packages: number; total: number },
    ) => {
      const charge = usageCharge(
        aUsagePrice({
          type: 'PACKAGE',
          unitAmount: given.amount,
          packageSize: given.size,
          includedUnits: given.freeUnits,
        }),
        given,
      );
      const packages = Decimal.parse(charge.details.billedQuantity).stepsOf(
        Decimal.parse(given.size),
      );
      expect({ packages: Number(packages), total: Number(charge.amount) }).toEqual(expected);
    },
  });
});

interface Discounted {
  readonly discount: number;
  readonly net?: number;
  readonly allocation?: number[];
}

/** Result in the form of a case, with the fields that the case has. */
function discounted(
  { amount, parts }: AppliedDiscount,
  lines: readonly number[],
  stated: Discounted,
): Discounted {
  const net = lines.reduce((left, right) => left + right, 0) - Number(amount);
  return {
    discount: Number(amount),
    ...(stated.net === undefined ? {} : { net }),
    ...(stated.allocation === undefined ? {} : { allocation: parts.map(Number) }),
  };
}

type Terms = Pick<DiscountTerms, 'type' | 'value'>;

describe('discounts', () => {
  runAll('discounts.json', {
    amount: (given: Terms & { currency: Currency; lines: number[] }, expected: Discounted) => {
      const applied = applyDiscount(
        { type: given.type, value: given.value, currency: given.currency, productIds: [] },
        {
          currency: given.currency,
          lines: given.lines.map((amount) => ({ productId: 'any', amount: BigInt(amount) })),
        },
      );
      expect(discounted(applied, given.lines, expected)).toEqual(expected);
    },
    eligible: (
      given: Terms & { productIds: string[]; lines: { productId: string; amount: number }[] },
      expected: Discounted,
    ) => {
      const applied = applyDiscount(
        { type: given.type, value: given.value, currency: null, productIds: given.productIds },
        {
          currency: 'USD',
          lines: given.lines.map((line) => ({ ...line, amount: BigInt(line.amount) })),
        },
      );
      const amounts = given.lines.map(({ amount }) => amount);
      expect(discounted(applied, amounts, expected)).toEqual(expected);
    },
    allocate: (
      given: { discount: number; lines: number[] },
      expected: { allocation: number[] },
    ) => {
      const parts = allocate(money(BigInt(given.discount), 'USD'), given.lines.map(BigInt));
      expect({ allocation: parts.map(({ amount }) => Number(amount)) }).toEqual(expected);
    },
    round: (given: { value: string }, expected: { rounded: number }) => {
      expect(Decimal.parse(given.value).roundHalfUp()).toBe(BigInt(expected.rounded));
    },
    currency: (
      given: Terms & { discountCurrency: Currency | null; invoiceCurrency: Currency },
      expected: { applies: boolean },
    ) => {
      const terms = { type: given.type, currency: given.discountCurrency };
      expect({ applies: appliesInCurrency(terms, given.invoiceCurrency) }).toEqual(expected);
    },
    duration: (
      given: DiscountSpan & { appliedAt: string; periodStart: string },
      expected: { applies: boolean },
    ) => {
      const periods = { first: new Date(given.appliedAt), start: new Date(given.periodStart) };
      expect({ applies: discountsPeriod(given, periods) }).toEqual(expected);
    },
    redeem: (
      given: {
        at: string;
        startsAt: string | null;
        endsAt: string | null;
        maxRedemptions: number | null;
        redemptions: number;
        active: boolean;
      },
      expected: { valid: boolean },
    ) => {
      const limits = { ...given, startsAt: instant(given.startsAt), endsAt: instant(given.endsAt) };
      const refusal = redemptionRefusal(limits, {
        at: new Date(given.at),
        redemptions: given.redemptions,
      });
      expect({ valid: refusal === null }).toEqual(expected);
    },
    code: (given: { stored: string; given: string }, expected: { match: boolean }) => {
      const match = discountCodeKey(given.stored) === discountCodeKey(given.given);
      expect({ match }).toEqual(expected);
    },
  });
});

function instant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

interface Prorated {
  readonly periodStart: string;
  readonly periodEnd: string;
}

interface ProratedPrices extends Prorated {
  readonly oldPrice: number;
  readonly newPrice: number;
  readonly changeAt: string;
}

const paidItem = { itemId: 'i1', productId: 'p1' };

function chargedFor({ oldPrice, periodStart }: ProratedPrices) {
  const net = BigInt(oldPrice);
  return { ...paidItem, from: Date.parse(periodStart), gross: net, net };
}

function withinPeriod(given: ProratedPrices): { credit: number; charge: number } {
  const { unused, remaining } = prorate({
    period: { from: Date.parse(given.periodStart), to: Date.parse(given.periodEnd) },
    at: Date.parse(given.changeAt),
    replaced: [chargedFor(given)],
    added: [{ ...paidItem, exactAmount: Decimal.of(BigInt(given.newPrice)) }],
    currency: 'USD',
  });
  return { credit: Number(unused[0]?.amount), charge: Number(remaining[0]?.gross) };
}

/** The credit is the line on the new cycle's invoice, and what is credited beyond it. */
function newCycle(given: ProratedPrices): { credit: number; charge: number } {
  const { changeAt, periodEnd, oldPrice, newPrice } = given;
  const left = { from: Date.parse(changeAt), to: Date.parse(periodEnd) };
  const { lines, creditNotes } = creditAtNewCycle([unusedTime(chargedFor(given), left)], {
    charged: BigInt(newPrice),
    newestFirst: [{ invoiceId: 'in1', status: 'PAID', room: BigInt(oldPrice) }],
  });
  const credit = [...lines, ...creditNotes].reduce((sum, { amount }) => sum + Number(amount), 0);
  return { credit, charge: newPrice };
}

describe('proration', () => {
  runAll('proration.json', {
    fraction: (
      given: Prorated & { from: string; to: string },
      { fraction: [covered, whole] }: { fraction: [number, number] },
    ) => {
      const { numerator, denominator } = shareIn(given, given);
      expect(numerator * BigInt(whole)).toBe(denominator * BigInt(covered));
    },
    amount: (
      given: Prorated & { price: number; from: string; to: string },
      expected: { amount: number },
    ) => {
      const price = Decimal.of(BigInt(given.price));
      expect({ amount: Number(partOf(price, shareIn(given, given))) }).toEqual(expected);
    },
    change: (
      given: ProratedPrices & { resetsCycle: boolean },
      expected: { credit: number; charge: number; net: number },
    ) => {
      const { credit, charge } = given.resetsCycle ? newCycle(given) : withinPeriod(given);
      expect({ credit, charge, net: charge - credit }).toEqual(expected);
    },
    cap: (
      given: { potentialCredit: number; paid: number; previousCredits: number },
      expected: { credit: number },
    ) => {
      const room = BigInt(given.paid - given.previousCredits);
      const unused = [{ itemId: 'i1', amount: BigInt(given.potentialCredit) }];
      const { placed } = placeCredits(unused, [{ invoiceId: 'in1', status: 'PAID', room }]);
      const credit = placed.reduce((sum, { amount }) => sum + Number(amount), 0);
      expect({ credit }).toEqual(expected);
    },
  });
});

function shareIn(period: Prorated, part: { from: string; to: string }): Share {
  return shareOf(
    { from: Date.parse(part.from), to: Date.parse(part.to) },
    { from: Date.parse(period.periodStart), to: Date.parse(period.periodEnd) },
  );
}

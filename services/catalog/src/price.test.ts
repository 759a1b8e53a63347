import { type BillingInterval, INTERVAL_COUNT_MAX } from '@billing/kernel/billing-period';
import { type PriceTermsInput, priceTermsProblems } from '@billing/kernel/input/price-terms';
import { priceTerms } from './price';

const monthly: PriceTermsInput = {
  type: 'FLAT',
  currency: 'USD',
  amount: 2900n,
  billingInterval: 'MONTHLY',
};

/** Problems by field, without the other fields. */
function problemsOf(input: Partial<PriceTermsInput>): Record<string, readonly string[]> {
  const problems = priceTermsProblems({ ...monthly, ...input });
  return Object.fromEntries(Object.entries(problems).filter(([, found]) => found.length > 0));
}

const intervals = Object.keys(INTERVAL_COUNT_MAX) as BillingInterval[];
const amountRefused = { amount: ['Must be between 0 and 99999999999'] };

describe('valid price terms', () => {
  test.each<[string, Partial<PriceTermsInput>]>([
    ['only required fields', {}],
    ['the smallest amount', { amount: 0n }],
    ['the largest amount', { amount: 99_999_999_999n }],
    ['a currency in lower case', { currency: 'jpy' }],
    ['the shortest trial', { trialDays: 0 }],
    ['the longest trial', { trialDays: 730 }],
  ])('can have %s', (_case, input) => {
    expect(problemsOf(input)).toEqual({});
  });

  test.each(intervals)('can be %s up to its largest interval count', (billingInterval) => {
    const max = INTERVAL_COUNT_MAX[billingInterval];
    expect(problemsOf({ billingInterval, intervalCount: 1 })).toEqual({});
    expect(problemsOf({ billingInterval, intervalCount: max })).toEqual({});
  });
});

describe('invalid price terms', () => {
  test('no amount', () => {
    expect(problemsOf({ amount: undefined })).toEqual({ amount: ['Required'] });
  });

  const trialRefused = { trialDays: ['Must be a whole number from 0 to 730'] };
  const countRefused = { intervalCount: ['Must be a whole number from 1 to 36'] };

  test.each<[string, Partial<PriceTermsInput>, Record<string, string[]>]>([
    ['no type', { type: undefined }, { type: ['Required'] }],
    ['an unknown type', { type: 'UNKNOWN' }, { type: ['Invalid pricing type'] }],
    ['no currency', { currency: '' }, { currency: ['Required'] }],
    ['an unknown currency', { currency: 'XYZ' }, { currency: ['Invalid currency'] }],
    ['a currency with four letters', { currency: 'USDT' }, { currency: ['Invalid currency'] }],
    ['a negative amount', { amount: -1n }, amountRefused],
    ['an amount one too large', { amount: 100_000_000_000n }, amountRefused],
    ['a huge amount', { amount: 2n ** 63n - 1n }, amountRefused],
    ['no interval', { billingInterval: undefined }, { billingInterval: ['Required'] }],
    [
      'an unknown interval',
      { billingInterval: 'UNKNOWN' },
      { billingInterval: ['Invalid billing interval'] },
    ],
    ['an interval count of 0', { intervalCount: 0 }, countRefused],
    ['a negative interval count', { intervalCount: -1 }, countRefused],
    ['a fraction of an interval', { intervalCount: 1.5 }, countRefused],
    ['an interval count that is no number', { intervalCount: Number.NaN }, countRefused],
    ['a huge interval count', { intervalCount: 2 ** 31 - 1 }, countRefused],
    ['a negative trial', { trialDays: -1 }, trialRefused],
    ['a trial one day too long', { trialDays: 731 }, trialRefused],
    ['a fraction of a trial day', { trialDays: 0.5 }, trialRefused],
    ['a trial that is no number', { trialDays: Number.NaN }, trialRefused],
    ['an endless trial', { trialDays: Number.POSITIVE_INFINITY }, trialRefused],
    [
      'a trial of a one-time price',
      { billingInterval: 'ONE_TIME', trialDays: 0 },
      { trialDays: ['Not allowed with ONE_TIME'] },
    ],
    [
      'an invalid count and an unknown interval',
      { billingInterval: undefined, intervalCount: 366 },
      {
        billingInterval: ['Required'],
        intervalCount: ['Must be a whole number from 1 to 365'],
      },
    ],
  ])('with %s are refused', (_case, input, problems) => {
    expect(problemsOf(input)).toEqual(problems);
  });

  test.each(intervals)(
    'of %s one beyond its largest interval count are refused',
    (billingInterval) => {
      const max = INTERVAL_COUNT_MAX[billingInterval];
      expect(problemsOf({ billingInterval, intervalCount: max + 1 })).toEqual({
        intervalCount: [`Must be a whole number from 1 to ${String(max)}`],
      });
    },
  );
});

describe('price terms', () => {
  test('default to one interval and no trial', () => {
    const defaults = { intervalCount: 1, trialDays: null, tiers: null };
    expect(priceTerms(monthly)).toEqual({ ...monthly, ...defaults });
  });

  test('have the currency in upper case and all other fields as sent', () => {
    expect(priceTerms({ ...monthly, currency: 'kWd', intervalCount: 36, trialDays: 0 })).toEqual({
      ...monthly,
      currency: 'KWD',
      intervalCount: 36,
      trialDays: 0,
      tiers: null,
    });
  });

  test('cannot be built from invalid input', () => {
    expect(() => priceTerms({ ...monthly, type: 'UNKNOWN' })).toThrow('Unvalidated terms');
    expect(() => priceTerms({ ...monthly, billingInterval: undefined })).toThrow(
      'Unvalidated terms',
    );
  });
});

describe('pricing types', () => {
  const tiers = [
    { upTo: '100', unitAmount: '10.50' },
    { upTo: '1000.5', unitAmount: '8', flatAmount: '100' },
    { upTo: null, unitAmount: '0.000000000001', flatAmount: null },
  ];
  const graduated: PriceTermsInput = { ...monthly, type: 'TIERED', tiers };

  test.each(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME'] as const)('%s needs no tiers', (type) => {
    expect(problemsOf({ type })).toEqual({});
    expect(priceTerms({ ...monthly, type })).toMatchObject({ type, tiers: null });
  });

  test.each(['TIERED', 'VOLUME'] as const)(
    '%s can have tiers, stored in canonical form',
    (type) => {
      expect(problemsOf({ ...graduated, type })).toEqual({});
      expect(priceTerms({ ...graduated, type }).tiers).toEqual([
        { upTo: '100', unitAmount: '10.5', flatAmount: '0' },
        { upTo: '1000.5', unitAmount: '8', flatAmount: '100' },
        { upTo: null, unitAmount: '0.000000000001', flatAmount: '0' },
      ]);
    },
  );

  test.each(['FLAT', 'PER_UNIT'] as const)('%s cannot have tiers', (type) => {
    expect(problemsOf({ ...graduated, type })).toEqual({
      tiers: ['Only allowed with TIERED and VOLUME'],
    });
  });

  test('accept tiers up to the limit', () => {
    const upTo = (last: number) =>
      Array.from({ length: last }, (_, index) => ({
        upTo: index + 1 === last ? null : String(index + 1),
        unitAmount: '1',
      }));
    expect(problemsOf({ ...graduated, tiers: upTo(50) })).toEqual({});
    expect(problemsOf({ ...graduated, tiers: upTo(51) })).toHaveProperty('tiers');
    expect(problemsOf({ ...graduated, tiers: [] })).toHaveProperty('tiers');
  });

  test('report tier problems in addition to a wrong type', () => {
    expect(Object.keys(problemsOf({ ...graduated, type: 'UNKNOWN', tiers: [] }))).toEqual([
      'type',
      'tiers',
    ]);
  });
});

import { DomainError } from '@billing/kernel/domain-error';
import {
  changeDiscount,
  createDiscount,
  type Discount,
  type DiscountChanges,
  type DiscountInput,
  isLower,
} from './discount';

const findings = { metadataProblems: [], productProblems: [] };
const percentage: DiscountInput = {
  name: 'Spring',
  type: 'PERCENTAGE',
  value: '10',
  duration: 'FOREVER',
  productIds: [],
};
const fixed: DiscountInput = { ...percentage, type: 'FIXED', value: '500' };
const repeating: DiscountInput = { ...percentage, duration: 'REPEATING', durationInMonths: 3 };
const february = new Date('2026-02-01T00:00:00Z');
const march = new Date('2026-03-01T00:00:00Z');

function create(input: DiscountInput = percentage): Discount {
  return createDiscount(input, { id: 'd', ...findings });
}

/** Problems by field of a refused input; undefined if it is accepted. */
function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
  return undefined;
}

describe('a new discount', () => {
  test('has only the fields that were given', () => {
    expect(create()).toEqual({
      id: 'd',
      name: 'Spring',
      code: null,
      type: 'PERCENTAGE',
      value: '10',
      currency: null,
      duration: 'FOREVER',
      durationInMonths: null,
      maxRedemptions: null,
      startsAt: null,
      endsAt: null,
      productIds: [],
      active: true,
      metadata: {},
    });
  });

  test.each([
    ['the smallest percentage', { ...percentage, value: '0.01' }],
    ['100 percent', { ...percentage, value: '100' }],
    ['two decimals', { ...percentage, value: '33.33' }],
    ['the smallest amount', { ...fixed, value: '1' }],
    ['the largest amount', { ...fixed, value: '99999999999' }],
    ['an amount in a currency', { ...fixed, currency: 'jpy' }],
    ['one month', { ...repeating, durationInMonths: 1 }],
    ['five years', { ...repeating, durationInMonths: 60 }],
    ['one redemption', { ...percentage, maxRedemptions: 1 }],
    ['the shortest code', { ...percentage, code: 'a-_' }],
    ['the longest code', { ...percentage, code: 'X'.repeat(64) }],
    ['only a start', { ...percentage, startsAt: march }],
    ['only an end', { ...percentage, endsAt: march }],
    ['fifty products', { ...percentage, productIds: Array.from({ length: 50 }, String) }],
  ])('can have %s', (_case, input) => {
    expect(refusal(() => create(input))).toBeUndefined();
  });

  test.each([
    ['a value of 0 percent', { ...percentage, value: '0' }, 'value'],
    ['a negative percentage', { ...percentage, value: '-5' }, 'value'],
    ['more than 100 percent', { ...percentage, value: '100.01' }, 'value'],
    ['three decimals', { ...percentage, value: '0.125' }, 'value'],
    ['no value', { ...percentage, value: '' }, 'value'],
    ['an exponent', { ...percentage, value: '1e2' }, 'value'],
    ['a fractional amount', { ...fixed, value: '1.5' }, 'value'],
    ['an amount of 0', { ...fixed, value: '0' }, 'value'],
    ['an amount that is too large', { ...fixed, value: '100000000000' }, 'value'],
    ['an unknown currency', { ...fixed, currency: 'ABC' }, 'currency'],
    ['a percentage in a currency', { ...percentage, currency: 'USD' }, 'currency'],
    ['no type', { ...percentage, type: undefined }, 'type'],
    ['an unknown type', { ...percentage, type: 'UNKNOWN' as const }, 'type'],
    ['no duration', { ...percentage, duration: undefined }, 'duration'],
    ['an unknown duration', { ...percentage, duration: 'UNKNOWN' as const }, 'duration'],
    [
      'a missing number of months',
      { ...repeating, durationInMonths: undefined },
      'durationInMonths',
    ],
    [
      'a number of months that is too large',
      { ...repeating, durationInMonths: 61 },
      'durationInMonths',
    ],
    ['a fractional number of months', { ...repeating, durationInMonths: 0.5 }, 'durationInMonths'],
    [
      'a number of months with ONCE',
      { ...percentage, duration: 'ONCE', durationInMonths: 1 },
      'durationInMonths',
    ],
    ['a number of months with FOREVER', { ...percentage, durationInMonths: 1 }, 'durationInMonths'],
    ['a maximum of 0 redemptions', { ...percentage, maxRedemptions: 0 }, 'maxRedemptions'],
    ['a code that is too short', { ...percentage, code: 'ab' }, 'code'],
    ['a code that is too long', { ...percentage, code: 'x'.repeat(65) }, 'code'],
    ['an empty code', { ...percentage, code: '' }, 'code'],
    ['a code with non-ASCII letters', { ...percentage, code: 'é-é' }, 'code'],
    ['an end at its start', { ...percentage, startsAt: march, endsAt: march }, 'endsAt'],
    ['an end before its start', { ...percentage, startsAt: march, endsAt: february }, 'endsAt'],
    ['too many products', { ...percentage, productIds: Array(51).fill('p') }, 'productIds'],
    ['no name', { ...percentage, name: '' }, 'name'],
    ['a name that is too long', { ...percentage, name: 'x'.repeat(201) }, 'name'],
  ] as const)('cannot have %s', (_case, input, field) => {
    expect(Object.keys(refusal(() => create(input)) ?? {})).toEqual([field]);
  });

  test.each(['0.0000001', '12.345', '33.333333333333336'])(
    'of %s percent has too many decimals',
    (value) => {
      const problems = refusal(() => create({ ...percentage, value }));
      expect(problems).toEqual({ value: ['Must have at most 2 decimals'] });
    },
  );

  test('reports all problems in one error, including those found outside its rules', () => {
    const found = { metadataProblems: ['a: Bad'], productProblems: ['0: Product not found'] };
    const wrong = { ...percentage, name: '', value: '101' };
    expect(refusal(() => createDiscount(wrong, { id: 'd', ...found }))).toEqual({
      name: ['Required'],
      value: ['Must be above 0 and at most 100'],
      metadata: ['a: Bad'],
      productIds: ['0: Product not found'],
    });
  });

  test('has its value in canonical form and each product once', () => {
    const made = create({ ...percentage, value: '10.50', productIds: ['p', 'q', 'p'] });
    expect(made).toMatchObject({ value: '10.5', productIds: ['p', 'q'] });
  });
});

describe('an update', () => {
  const change = (discount: Discount, changes: DiscountChanges) =>
    changeDiscount(discount, changes, { metadataProblems: [] });

  test.each<[DiscountChanges]>([
    [{}],
    [{ name: 'Spring' }],
    [{ active: true }],
    [{ endsAt: null, maxRedemptions: null, metadata: null }],
  ])('by %j without a difference returns the same discount object', (changes) => {
    const before = create();
    expect(change(before, changes)).toBe(before);
  });

  test('clears a limit with null', () => {
    const before = create({ ...percentage, maxRedemptions: 3, endsAt: march });
    expect(change(before, { maxRedemptions: null, endsAt: null })).toEqual(create());
  });

  test.each<[DiscountChanges, string]>([
    [{ name: null }, 'name'],
    [{ active: null }, 'active'],
    [{ endsAt: february }, 'endsAt'],
    [{ maxRedemptions: 0 }, 'maxRedemptions'],
  ])('by %j is refused under %s', (changes, field) => {
    const before = create({ ...percentage, startsAt: february });
    expect(Object.keys(refusal(() => change(before, changes)) ?? {})).toEqual([field]);
  });

  test.each([
    [null, 5, true],
    [5, 4, true],
    [5, 5, false],
    [5, 6, false],
    [5, null, false],
    [null, null, false],
  ])('from a maximum of %p to %p is a lowering: %p', (before, after, lowers) => {
    expect(isLower(after, before)).toBe(lowers);
  });
});

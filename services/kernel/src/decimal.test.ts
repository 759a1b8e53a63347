import fc from 'fast-check';
import { Decimal, DECIMAL_PLACES_MAX, roundedQuotient } from './decimal';

const unscaled = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const decimal = fc
  .tuple(unscaled, fc.nat({ max: DECIMAL_PLACES_MAX }))
  .map(([digits, scale]) => Decimal.of(digits, scale));

/** The number as an integer of 10^-24, which is exact for any product of two inputs. */
const SCALE = 2 * DECIMAL_PLACES_MAX;
function fixed({ unscaled: digits, scale }: Decimal): bigint {
  return digits * 10n ** BigInt(SCALE - scale);
}

describe('parsing a decimal', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['12', '12'],
    ['12.50', '12.5'],
    ['-0.25', '-0.25'],
    ['100', '100'],
    ['0.000000000001', '0.000000000001'],
    ['99999999999999999999999999999999', '99999999999999999999999999999999'],
  ])('%s gives %s', (text, canonical) => {
    expect(Decimal.parse(text).toString()).toBe(canonical);
  });

  test.each([
    '',
    '-',
    '+1',
    '--1',
    '.5',
    '5.',
    '01',
    '1e3',
    '1,5',
    '1_000',
    ' 1',
    '1\n',
    '0x1',
    'NaN',
    'Infinity',
    '١',
    '0.0000000000001',
    '999999999999999999999999999999999',
  ])('%j is refused', (text) => {
    expect(() => Decimal.parse(text, 'quantity')).toThrow(
      expect.objectContaining({
        kind: 'invalid_input',
        fields: { quantity: ['Invalid decimal'] },
      }) as Error,
    );
  });

  test('returns the written number, and equal numbers have equal fields', () => {
    fc.assert(
      fc.property(decimal, (value) => {
        const read = Decimal.parse(value.toString());
        expect(read).toEqual(value);
        expect(read.toString()).toBe(value.toString());
      }),
    );
  });
});

describe('arithmetic', () => {
  test('0.1 + 0.2 is 0.3', () => {
    expect(Decimal.parse('0.1').add(Decimal.parse('0.2'))).toEqual(Decimal.parse('0.3'));
  });

  test('agrees with integers of the smallest unit', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(fixed(a.add(b))).toBe(fixed(a) + fixed(b));
        expect(fixed(a.subtract(b))).toBe(fixed(a) - fixed(b));
        expect(fixed(a.multiply(b)) * 10n ** BigInt(SCALE)).toBe(fixed(a) * fixed(b));
        expect(a.compare(b)).toBe(fixed(a) === fixed(b) ? 0 : fixed(a) < fixed(b) ? -1 : 1);
      }),
    );
  });

  test('obeys the laws of a commutative ring', () => {
    const zero = Decimal.of(0n);
    const one = Decimal.of(1n);
    fc.assert(
      fc.property(decimal, decimal, decimal, (a, b, c) => {
        expect(a.add(b)).toEqual(b.add(a));
        expect(a.add(b).add(c)).toEqual(a.add(b.add(c)));
        expect(a.multiply(b)).toEqual(b.multiply(a));
        expect(a.multiply(b).multiply(c)).toEqual(a.multiply(b.multiply(c)));
        expect(a.multiply(b.add(c))).toEqual(a.multiply(b).add(a.multiply(c)));
        expect(a.add(zero)).toEqual(a);
        expect(a.multiply(one)).toEqual(a);
        expect(a.subtract(a)).toEqual(zero);
      }),
    );
  });

  test('has a total order', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(a.compare(b) + b.compare(a)).toBe(0);
        expect(a.compare(b) === 0).toBe(a.toString() === b.toString());
      }),
    );
  });
});

describe('rounding', () => {
  test.each([
    ['0.5', 1n],
    ['0.49', 0n],
    ['1.5', 2n],
    ['2.5', 3n],
    ['-0.5', -1n],
    ['-0.49', 0n],
    ['-2.5', -3n],
    ['3.000000000001', 3n],
    ['7', 7n],
  ])('%s gives %s', (text, rounded) => {
    expect(Decimal.parse(text).roundHalfUp()).toBe(rounded);
  });

  test('goes to the nearest integer, a half away from zero, on both sides of zero', () => {
    fc.assert(
      fc.property(decimal, (value) => {
        const rounded = value.roundHalfUp();
        const one = 10n ** BigInt(SCALE);
        const distance = rounded * one - fixed(value);
        const outward = value.compare(Decimal.of(0n)) < 0 ? -distance : distance;
        expect(outward * 2n).toBeLessThanOrEqual(one);
        expect(outward * 2n).toBeGreaterThan(-one);
        expect(Decimal.of(0n).subtract(value).roundHalfUp()).toBe(-rounded);
      }),
    );
  });
});

describe('steps', () => {
  test.each([
    ['0', '10', 0n],
    ['-1', '10', 0n],
    ['0.0001', '100', 1n],
    ['10', '10', 1n],
    ['10.000000000001', '10', 2n],
    ['0.3', '0.1', 3n],
    ['1', '0.3', 4n],
  ])('of %s by %s are %s', (text, step, steps) => {
    expect(Decimal.parse(text).stepsOf(Decimal.parse(step))).toBe(steps);
  });

  test.each(['0', '-1'])('by %s are refused', (step) => {
    expect(() => Decimal.of(1n).stepsOf(Decimal.parse(step))).toThrow('above 0');
  });

  test('of a number reach it, and one step fewer does not', () => {
    fc.assert(
      fc.property(decimal, decimal, (value, step) => {
        fc.pre(step.unscaled > 0n && value.unscaled > 0n);
        const steps = value.stepsOf(step);
        expect(step.multiply(Decimal.of(steps)).compare(value)).toBeGreaterThanOrEqual(0);
        expect(step.multiply(Decimal.of(steps - 1n)).compare(value)).toBe(-1);
      }),
    );
  });
});

test.each([-1, 0.5, NaN])('a scale of %d is refused', (scale) => {
  expect(() => Decimal.of(1n, scale)).toThrow('whole number');
});

test.each([
  [5n, 2n, 3n],
  [-5n, 2n, -3n],
  [5n, -2n, -3n],
  [-5n, -2n, 3n],
  [4n, 3n, 1n],
  [0n, -7n, 0n],
])('%s divided by %s is rounded to %s', (dividend, divisor, rounded) => {
  expect(roundedQuotient(dividend, divisor)).toBe(rounded);
});

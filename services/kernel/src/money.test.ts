import fc from 'fast-check';
import { Decimal } from './decimal';
import { addMoney, allocate, AMOUNT_MAX, isAmount, money, parseAmount, toMinor } from './money';

const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX });
const weights = fc.array(amount, { minLength: 1, maxLength: 50 });

function sum(values: readonly bigint[]): bigint {
  return values.reduce((left, right) => left + right, 0n);
}

function usd(total: bigint) {
  return money(total, 'USD');
}

function split(total: bigint, parts: readonly bigint[]): bigint[] {
  return allocate(usd(total), parts).map((part) => part.amount);
}

describe('an amount', () => {
  test.each([0n, 1n, AMOUNT_MAX])('of %s is within its limits', (value) => {
    expect(isAmount(value)).toBe(true);
    expect(parseAmount(value)).toBe(value);
    expect(usd(value)).toEqual({ amount: value, currency: 'USD' });
  });

  test.each([-1n, AMOUNT_MAX + 1n])('of %s is refused', (value) => {
    expect(isAmount(value)).toBe(false);
    expect(() => parseAmount(value, 'price')).toThrow(
      expect.objectContaining({
        kind: 'invalid_input',
        fields: { price: ['Must be between 0 and 99999999999'] },
      }) as Error,
    );
    expect(() => usd(value)).toThrow('out of range');
  });

  test('is represented exactly by a JSON number', () => {
    expect(BigInt(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(AMOUNT_MAX);
  });
});

describe('adding', () => {
  test('sums amounts of one currency', () => {
    expect(addMoney(usd(2900n), usd(100n))).toEqual(usd(3000n));
  });

  test('refuses two currencies', () => {
    expect(() => addMoney(usd(1n), money(1n, 'EUR'))).toThrow('Cannot add EUR to USD');
  });

  test('refuses a sum over the largest amount', () => {
    expect(() => addMoney(usd(AMOUNT_MAX), usd(1n))).toThrow('out of range');
  });
});

describe('allocating', () => {
  test.each([
    ['equal parts, the unit to the earlier', 67n, [100n, 100n], [34n, 33n]],
    ['three equal parts', 100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    ['the largest remainder before an earlier one', 10n, [1n, 2n], [3n, 7n]],
    ['nothing to a weight of zero', 1n, [0n, 0n, 5n], [0n, 0n, 1n]],
    ['no total', 0n, [3n, 4n], [0n, 0n]],
    ['no total and no weight', 0n, [0n, 0n], [0n, 0n]],
    ['no parts', 0n, [], []],
  ])('%s', (_name, total, parts, expected) => {
    expect(split(total, parts)).toEqual(expected);
  });

  test('keeps the currency', () => {
    expect(allocate(money(5n, 'JPY'), [1n])).toEqual([money(5n, 'JPY')]);
  });

  test('refuses negative weights, and a total with weights of 0', () => {
    expect(() => split(1n, [2n, -1n])).toThrow('negative');
    expect(() => split(1n, [0n])).toThrow('no weight');
    expect(() => split(1n, [])).toThrow('no weight');
  });
});

describe('any allocation', () => {
  test('has parts that sum to the total and differ from their exact share by less than one unit', () => {
    fc.assert(
      fc.property(amount, weights, (total, parts) => {
        fc.pre(sum(parts) > 0n);
        const allocated = split(total, parts);
        expect(sum(allocated)).toBe(total);
        allocated.forEach((part, index) => {
          const error = part * sum(parts) - total * (parts[index] ?? 0n);
          expect(error < 0n ? -error : error).toBeLessThan(sum(parts));
        });
      }),
    );
  });

  test('never skips a larger remainder, nor the earlier of equal ones', () => {
    fc.assert(
      fc.property(
        amount,
        fc.array(fc.bigInt(0n, 9n), { minLength: 2, maxLength: 8 }),
        (total, parts) => {
          fc.pre(sum(parts) > 0n);
          const ranked = split(total, parts).map((part, index) => {
            const exact = total * (parts[index] ?? 0n);
            return { raised: part > exact / sum(parts), remainder: exact % sum(parts), index };
          });
          for (const winner of ranked.filter(({ raised }) => raised)) {
            for (const loser of ranked.filter(({ raised }) => !raised)) {
              const isEarlierOfEqual =
                loser.remainder === winner.remainder && winner.index < loser.index;
              expect(winner.remainder > loser.remainder || isEarlierOfEqual).toBe(true);
            }
          }
        },
      ),
    );
  });

  test('has no part over its weight if the total is at most their sum', () => {
    fc.assert(
      fc.property(amount, weights, (limit, parts) => {
        const total = limit < sum(parts) ? limit : sum(parts);
        split(total, parts).forEach((part, index) => {
          expect(part).toBeLessThanOrEqual(parts[index] ?? 0n);
        });
      }),
    );
  });
});

describe('minor units', () => {
  test.each([
    ['JPY', 0],
    ['USD', 2],
    ['KWD', 3],
    ['CLF', 4],
  ] as const)('of %s convert to major units and back', (currency, digits) => {
    fc.assert(
      fc.property(amount, (minor) => {
        expect(toMinor(Decimal.of(minor, digits), currency)).toBe(minor);
      }),
    );
  });
});

import fc from 'fast-check';
import { Decimal } from './decimal';
import { AMOUNT_MAX } from './money';
import { recurringCharge, type PricingType } from './pricing';

test('a flat charge is the amount, whatever the quantity', () => {
  expect(recurringCharge({ type: 'FLAT', amount: 2900n, quantity: 7 })).toEqual({
    quantity: '1',
    unitAmount: '2900',
    amount: 2900n,
  });
});

test('quantity × unit amount of a flat charge is its amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: AMOUNT_MAX }),
      fc.integer({ min: 1, max: 1_000_000 }),
      (amount, quantity) => {
        const charge = recurringCharge({ type: 'FLAT', amount, quantity });
        expect(Decimal.parse(charge.quantity).multiply(Decimal.parse(charge.unitAmount))).toEqual(
          Decimal.of(charge.amount),
        );
      },
    ),
  );
});

test.each<PricingType>(['PER_UNIT', 'TIERED', 'VOLUME'])('%s is refused', (type) => {
  expect(() => recurringCharge({ type, amount: 1n, quantity: 1 })).toThrow(type);
});

test.each([
  [-1n, 1, 'Amount out of range'],
  [AMOUNT_MAX + 1n, 1, 'Amount out of range'],
  [1n, 0, 'A quantity'],
  [1n, 1.5, 'A quantity'],
])('an amount of %s times %d is refused', (amount, quantity, message) => {
  expect(() => recurringCharge({ type: 'FLAT', amount, quantity })).toThrow(message);
});

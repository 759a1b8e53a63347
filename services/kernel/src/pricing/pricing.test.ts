import fc from 'fast-check';
import { Decimal } from '../decimal';
import { AMOUNT_MAX } from '../money';
import { recurringCharge, type PricingType } from './pricing';
import type { Tier } from './tiers';

const amounts = fc.bigInt({ min: 0n, max: AMOUNT_MAX });
const quantities = fc.integer({ min: 1, max: 1_000_000 });

const seats: readonly Tier[] = [
  { upTo: '10', unitAmount: '1000', flatAmount: '200' },
  { upTo: null, unitAmount: '500.5', flatAmount: '0' },
];

test('a flat charge is the amount, regardless of the quantity', () => {
  expect(recurringCharge({ type: 'FLAT', amount: 2900n, quantity: 7 })).toEqual({
    quantity: '1',
    unitAmount: '2900',
    amount: 2900n,
    details: { tiers: [], includedUnits: '0', billedQuantity: '1', exactAmount: '2900' },
  });
});

test('a charge per unit is the amount for each', () => {
  expect(recurringCharge({ type: 'PER_UNIT', amount: 2900n, quantity: 7 })).toEqual({
    quantity: '7',
    unitAmount: '2900',
    amount: 20_300n,
    details: { tiers: [], includedUnits: '0', billedQuantity: '7', exactAmount: '20300' },
  });
});

test('a tiered charge contains the units and amount of each tier', () => {
  expect(recurringCharge({ type: 'TIERED', amount: 0n, tiers: seats, quantity: 13 })).toEqual({
    quantity: '13',
    unitAmount: undefined,
    amount: 11_702n,
    details: {
      tiers: [
        { upTo: '10', quantity: '10', unitAmount: '1000', flatAmount: '200', amount: '10200' },
        { upTo: null, quantity: '3', unitAmount: '500.5', flatAmount: '0', amount: '1501.5' },
      ],
      includedUnits: '0',
      billedQuantity: '13',
      exactAmount: '11701.5',
    },
  });
});

test('a volume charge contains the tier that priced all units', () => {
  const charge = recurringCharge({ type: 'VOLUME', amount: 0n, tiers: seats, quantity: 13 });
  expect(charge).toMatchObject({ quantity: '13', unitAmount: undefined, amount: 6507n });
  expect(charge.details.tiers).toEqual([
    { upTo: null, quantity: '13', unitAmount: '500.5', flatAmount: '0', amount: '6506.5' },
  ]);
});

test.each(['TIERED', 'VOLUME'] as const)('%s without tiers charges the amount per unit', (type) => {
  for (const tiers of [undefined, null, []]) {
    expect(recurringCharge({ type, amount: 300n, tiers, quantity: 4 })).toMatchObject({
      amount: 1200n,
      details: {
        tiers: [{ upTo: null, quantity: '4', unitAmount: '300', flatAmount: '0', amount: '1200' }],
      },
    });
  }
});

test.each(['FLAT', 'PER_UNIT'] as const)(
  'the amount of a %s charge is quantity × unit amount',
  (type) => {
    fc.assert(
      fc.property(amounts, quantities, (amount, quantity) => {
        const charge = recurringCharge({ type, amount, quantity });
        expect(Decimal.parse(charge.quantity).multiply(Decimal.parse(charge.unitAmount))).toEqual(
          Decimal.of(charge.amount),
        );
      }),
    );
  },
);

test('a charge over the largest amount is returned, so that the caller can refuse it', () => {
  const charge = recurringCharge({ type: 'PER_UNIT', amount: AMOUNT_MAX, quantity: 2 });
  expect(charge.amount).toBe(2n * AMOUNT_MAX);
});

test.each([
  [-1n, 1, 'Amount out of range'],
  [AMOUNT_MAX + 1n, 1, 'Amount out of range'],
  [1n, 0, 'A quantity'],
  [1n, 1.5, 'A quantity'],
])('an amount of %s times %d is refused', (amount, quantity, message) => {
  for (const type of ['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME'] satisfies PricingType[]) {
    expect(() => recurringCharge({ type, amount, quantity })).toThrow(message);
  }
});

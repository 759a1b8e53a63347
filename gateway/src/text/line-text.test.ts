import { LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import { calculationOf, unitPriceOf } from './line-text';

const first = { quantity: '10', unitAmount: '500', flatAmount: '0', amount: '5000' };
const second = { quantity: '2.5', unitAmount: '400', flatAmount: '1000', amount: '2000' };

function aLine(unitAmount: string | undefined, ...tiers: (typeof first)[]): LineItem {
  return LineItem.fromPartial({ unitAmount, details: { tiers } });
}

test.each([
  ['a plain price', aLine('2900'), '2900', []],
  ['a volume price', aLine(undefined, first), '500', ['10 × $5.00 = $50.00']],
  [
    'graduated tiers',
    aLine(undefined, first, second),
    undefined,
    ['10 × $5.00 = $50.00', '2.5 × $4.00 + $10.00 = $20.00'],
  ],
  ['tiers without any unit', aLine(undefined), undefined, []],
])('a line of %s shows its unit price and calculation', (_case, line, unit, calculation) => {
  expect(unitPriceOf(line)).toBe(unit);
  expect(calculationOf(line, 'USD')).toEqual(calculation);
});

import { unitPriceOf } from './unit-price';

const detailsOf = (...unitAmounts: readonly string[]) => ({
  tiers: unitAmounts.map((unitAmount) => ({ unitAmount })),
});

test.each([
  ['a plain price', { unitAmount: '450', details: null }, '450'],
  ['a volume price', { unitAmount: null, details: detailsOf('400') }, '400'],
  ['a volume price in a call', { details: detailsOf('400') }, '400'],
  ['graduated tiers', { unitAmount: null, details: detailsOf('500', '400') }, undefined],
  ['tiers without any unit', { unitAmount: null, details: detailsOf() }, undefined],
  ['an amount alone', { unitAmount: null, details: null }, undefined],
])('the unit price of a line of %s', (_case, line, price) => {
  expect(unitPriceOf(line)).toBe(price);
});

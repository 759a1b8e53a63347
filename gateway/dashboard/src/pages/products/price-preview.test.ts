import { meterPricePreview, productPreview } from './price-preview';

const at = (quantity: string) => ({ quantity, currency: 'USD' });
const tiers = [
  { upTo: '10', unitAmount: '800' },
  { upTo: null, unitAmount: '300', flatAmount: '4500' },
];

test.each<[string, string, string | undefined]>([
  ['TIERED', '150', '150 units: $545.00'],
  ['VOLUME', '150', '150 units: $495.00'],
  ['TIERED', '1', '1 unit: $8.00'],
  ['TIERED', '0', undefined],
  ['TIERED', 'many', undefined],
])('a %s price of %s is previewed as %s', (type, quantity, text) => {
  expect(productPreview({ type, amount: 0, tiers }, at(quantity))).toBe(text);
});

test('a price that is still being typed has no preview', () => {
  expect(productPreview({ type: 'PER_UNIT', amount: '12,5' }, at('2'))).toBeUndefined();
  const open = [{ upTo: '', unitAmount: '' }];
  expect(productPreview({ type: 'TIERED', amount: 0, tiers: open }, at('2'))).toBeUndefined();
  expect(productPreview({ type: 'PER_UNIT', amount: 900 }, at('2'))).toBe('2 units: $18.00');
});

test.each<[object, string]>([
  [{ type: 'PER_UNIT', unitAmount: '0.25' }, '$0.38'],
  [{ type: 'PER_UNIT', unitAmount: '0.25', includedUnits: '100' }, '$0.13'],
  [{ type: 'PER_UNIT', unitAmount: '0.25', minimumAmount: 500 }, '$5.00'],
  [{ type: 'PER_UNIT', unitAmount: '10', maximumAmount: 700 }, '$7.00'],
  [{ type: 'PACKAGE', unitAmount: '200', packageSize: '100' }, '$4.00'],
  [{ type: 'TIERED', tiers }, '$545.00'],
])('usage of 150 units priced by %j is previewed as %s', (price, money) => {
  expect(meterPricePreview(price as { type: string }, at('150'))).toBe(`150 units: ${money}`);
});

import { LineItem, LineItemKind } from '@billing/proto/billing/checkout/v1/checkout';
import { calculationOf, lineText } from './line-text';
import { textFor } from './reader';
import { english } from './testing/english';

const first = { quantity: '10', unitAmount: '500', flatAmount: '0', amount: '5000' };
const second = { quantity: '2.5', unitAmount: '400', flatAmount: '1000', amount: '2000' };

function aLine(unitAmount: string | undefined, ...tiers: (typeof first)[]): LineItem {
  return LineItem.fromPartial({ unitAmount, details: { tiers } });
}

test.each([
  ['a plain price', aLine('2900'), []],
  ['a volume price', aLine(undefined, first), ['10 × $5.00 = $50.00']],
  [
    'graduated tiers',
    aLine(undefined, first, second),
    ['10 × $5.00 = $50.00', '2.5 × $4.00 + $10.00 = $20.00'],
  ],
  ['tiers without any unit', aLine(undefined), []],
])('a line of %s shows its calculation', (_case, line, calculation) => {
  expect(english(calculationOf(line, 'USD'))).toEqual(calculation);
});

const { LINE_ITEM_KIND_UNUSED_TIME: unused, LINE_ITEM_KIND_RECURRING: recurring } = LineItemKind;

test.each([
  [{ description: 'Unused time on Pro', kind: unused }, 'Nicht genutzte Zeit für Pro'],
  [{ description: 'Unused time on Pro', kind: recurring }, 'Unused time on Pro'],
  [{ description: 'Pro (trial, 14 days)', quantity: '1' }, 'Pro (Testphase, 14 Tage)'],
  [{ description: 'Pro (trial, 1 day)', quantity: '1' }, 'Pro (Testphase, 1 Tag)'],
  [{ description: 'Pro (trial, 14 days)', quantity: '1', amount: 1n }, 'Pro (trial, 14 days)'],
  [{ description: 'Pro' }, 'Pro'],
])('the line %j is described as %j', (line, text) => {
  expect(textFor(lineText(LineItem.fromPartial(line)), { locale: 'de' })).toBe(text);
});

import { termsOf } from './customer-fields';

test('a customer without terms has those of the seller and the branding', () => {
  const terms = { netDays: null, locale: null, taxIds: [] };
  expect(
    termsOf({ ...terms, collectionMethod: 'CHARGE_AUTOMATICALLY', taxExempt: 'NONE' }),
  ).toEqual([
    ['Collection', 'Charge automatically'],
    ['Net days', 'Those of the seller'],
    ['Language', 'That of the branding'],
    ['Tax ids', '–'],
    ['Tax exemption', 'None'],
  ]);
});

test('terms of a customer read as text', () => {
  const taxIds = [
    { type: 'EU_VAT', value: 'DE136695976' },
    { type: 'OTHER', value: '7' },
  ] as const;
  expect(
    termsOf({
      ...{ netDays: 0, locale: 'de-CH', taxIds: [...taxIds] },
      ...{ collectionMethod: 'SEND_INVOICE', taxExempt: 'REVERSE' },
    }),
  ).toEqual([
    ['Collection', 'Send invoice'],
    ['Net days', '0'],
    ['Language', 'de-CH'],
    ['Tax ids', 'DE136695976 (EU VAT), 7 (Other)'],
    ['Tax exemption', 'Reverse charge: the customer owes the tax'],
  ]);
});

import { AMOUNT_MAX } from '@billing/kernel/money';
import { offSettings } from '../seller/billing-settings';
import { aLineItem } from '../testing/invoice';
import { checkTaxedTotal, mayExceedMaximum } from './taxed-total';

const priced = (amount: bigint) => {
  return { currency: 'EUR', lineItems: [aLineItem({ amount })] } as const;
};

const off = offSettings('environment');

function check(amount: bigint, prices: 'EXCLUDE_TAX' | 'INCLUDE_TAX'): void {
  const tax = { prices, registrations: ['DE'] };
  const address = { line1: null, line2: null, city: null, state: null, postalCode: null };
  const seller = {
    ...{ ...off.seller, legalName: 'Ada GmbH', tax },
    address: { ...address, country: 'DE' },
  };
  const settings = { ...off, seller };
  const terms = { settings, buyer: undefined, at: new Date('2026-01-31'), isFinal: false };
  checkTaxedTotal(priced(amount), terms);
}

test('only a price above half the maximum is taxed for its total', () => {
  expect(mayExceedMaximum(priced(AMOUNT_MAX / 2n))).toBe(false);
  expect(mayExceedMaximum(priced(AMOUNT_MAX / 2n + 1n))).toBe(true);
});

test('a total with tax above the maximum amount is refused, a price that contains it is not', () => {
  const fields = { quantity: ['The total with tax exceeds the maximum amount'] };
  expect(() => {
    check(84_033_613_445n, 'EXCLUDE_TAX');
  }).toThrow(expect.objectContaining({ fields }));
  check(84_033_613_444n, 'EXCLUDE_TAX');
  check(AMOUNT_MAX, 'INCLUDE_TAX');
});

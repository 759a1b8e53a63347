import { Seller, TaxPrices, TaxRate } from '@billing/proto/billing/checkout/v1/seller';
import { sampleInvoice } from './sample-invoice';

const now = new Date('2026-01-31T00:00:00Z');
const seller = Seller.fromPartial({
  ...{ legalName: 'Ada GmbH', invoicePrefix: 'ADA-', netDays: 14, address: { country: 'DE' } },
  tax: { prices: TaxPrices.TAX_PRICES_EXCLUDE_TAX, registrations: ['DE'] },
});

test('a sample is taxed in the country of the seller, and due after the net days', () => {
  const { number, currency, total, tax, taxes, dueDate } = sampleInvoice({
    ...{ seller, ownRates: [], now },
  });
  expect({ number, currency, tax, total }).toEqual({
    ...{ number: 'ADA-000000', currency: 'EUR', tax: 2_375n, total: 14_875n },
  });
  expect(taxes).toMatchObject([{ percent: '19', base: 12_500n, amount: 2_375n }]);
  expect(dueDate?.toISOString()).toBe('2026-02-14T00:00:00.000Z');
});

test('prices that include tax stay the total', () => {
  const tax = { prices: TaxPrices.TAX_PRICES_INCLUDE_TAX, registrations: ['DE'] };
  const invoice = sampleInvoice({ seller: { ...seller, tax }, ownRates: [], now });
  expect([invoice.total, invoice.tax]).toEqual([12_500n, 1_996n]);
  expect(invoice.pricesIncludeTax).toBe(true);
});

test('an own rate comes before the shipped one', () => {
  const rate = { country: 'DE', category: 'standard', percent: '7', name: 'Own' };
  const ownRates = [TaxRate.fromPartial(rate)];
  expect(sampleInvoice({ seller, ownRates, now }).taxes).toMatchObject([{ name: 'Own' }]);
});

test('a seller without a name and without tax has a sample without both', () => {
  const plain = Seller.fromPartial({ invoicePrefix: 'INV-', netDays: 30 });
  const invoice = sampleInvoice({ seller: plain, ownRates: [], now });
  expect([invoice.seller, invoice.taxes, invoice.total]).toEqual([undefined, [], 12_500n]);
});

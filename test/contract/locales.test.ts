import type { Answer, ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem } from '../support/shared-system';

let api: ApiClient;
let customerId: string;
let productId: string;
let invoiceId: string;
let creditNoteId: string;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  const make = (path: string, body: object) => api.expect(201, api.post(path, body));
  const terms = { collectionMethod: 'SEND_INVOICE', currency: 'USD' };
  ({ id: customerId } = await make('/customers', { email: 'a@b.co', ...terms }));
  ({ id: productId } = await make('/products', { ...product, currency: 'USD' }));
  const lines = [{ description: 'Setup', amount: 500 }];
  ({ id: invoiceId } = await make('/invoices', { customerId, lines, finalize: true }));
  const credit = { invoiceId, amount: 100, reason: 'OTHER' };
  ({ id: creditNoteId } = await make('/credit-notes', credit));
});

test.each<[where: string, field: string, request: (locale: string) => Promise<Answer>]>([
  ['a new customer', 'locale', (locale) => api.post('/customers', { email: 'a@b.co', locale })],
  [
    'a changed customer',
    'locale',
    (locale) => api.request('PATCH', `/customers/${customerId}`, { body: { locale } }),
  ],
  [
    'a checkout session',
    'locale',
    (locale) => api.post('/checkout', { customerId, productId, locale }),
  ],
  [
    'the branding',
    'defaultLocale',
    (defaultLocale) => api.request('PATCH', '/branding', { body: { defaultLocale } }),
  ],
  [
    'the PDF of an invoice',
    'locale',
    (locale) => api.get(`/invoices/${invoiceId}/pdf?locale=${locale}`),
  ],
  [
    'the PDF of a credit note',
    'locale',
    (locale) => api.get(`/credit-notes/${creditNoteId}/pdf?locale=${locale}`),
  ],
])('%s refuses languages without texts', async (_where, field, request) => {
  for (const locale of ['sv', 'zh-TW', 'zh-Hant', 'de_CH']) {
    const { status, body } = await request(locale);
    expect([locale, status, body]).toEqual([
      locale,
      400,
      { error: { [field]: ['Unsupported locale'] } },
    ]);
  }
});

import type { ApiClient } from '../support/api-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { unknownId } from '../support/patterns';
import { aCustomer, aProduct, aTaxedShop, invoicesOf, setSeller } from './taxed-shop';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

async function download(api: ApiClient, path: string) {
  const response = await fetch(`${api.gatewayUrl}/v1${path}`, {
    headers: { Authorization: `Bearer ${api.key ?? ''}` },
  });
  expect([path, response.status]).toEqual([path, 200]);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** A sent invoice of a new subscription. */
async function anInvoice(api: ApiClient, customer: object = {}): Promise<any> {
  const customerId = await aCustomer(api, customer);
  const productId = await aProduct(api);
  await api.subscribe({ customerId, productId });
  return (await invoicesOf(api, customerId))[0];
}

const forms = ['', '?format=UBL', '?format=CII', '?format=FACTUR_X'] as const;

test('documents of an invoice and its credit note keep their bytes through every change', async () => {
  const api = await aTaxedShop(system);
  const { id, customerId, number } = await anInvoice(api);
  const paid = { amount: 1000, method: 'BANK_TRANSFER' };
  const credit = { invoiceId: id, amount: 500, reason: 'GOODWILL' };
  const note = await api.expect(201, api.post('/credit-notes', credit));
  const paths = [`/invoices/${String(id)}`, `/credit-notes/${String(note.id)}`].flatMap((path) =>
    forms.map((form) => `${path}/e-invoice${form}`),
  );
  const before = await Promise.all(paths.map((path) => download(api, path)));
  await setSeller(api, { legalName: 'Ada AG', taxIds: [], footer: 'New' });
  await api.expect(201, api.post('/tax-rates', { country: 'DE', percent: '7', name: 'New' }));
  const moved = { body: { name: 'Carol', address: { country: 'FR' } } };
  await api.expect(200, api.request('PATCH', `/customers/${String(customerId)}`, moved));
  await api.expect(201, api.post(`/invoices/${String(id)}/payments`, paid));
  for (const [index, path] of paths.entries()) {
    const { bytes } = await download(api, path);
    expect([path, bytes.equals(before[index]!.bytes)]).toEqual([path, true]);
  }
  const [byDefault, ubl, cii, facturX] = before;
  expect(byDefault!.bytes.equals(ubl!.bytes)).toBe(true);
  expect(ubl!.bytes.toString()).toContain(`<cbc:ID>${String(number)}</cbc:ID>`);
  expect(cii!.bytes.toString()).toContain('<ram:GrandTotalAmount>34.51</ram:GrandTotalAmount>');
  expect(facturX!.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const headers = ({ response }: typeof ubl & object) => [
    response.headers.get('content-type'),
    response.headers.get('content-disposition'),
  ];
  const fileName = `filename="${String(number)}`;
  expect(headers(ubl!)).toEqual(['application/xml', `attachment; ${fileName}.xml"`]);
  expect(headers(facturX!)).toEqual(['application/pdf', `inline; ${fileName}.pdf"`]);
  expect(before[4]!.bytes.toString()).toContain(`<cbc:ID>${String(number)}</cbc:ID>`);
});

test('a document that lacks a needed fact is refused', async () => {
  const api = await aTaxedShop(system, { taxIds: [] });
  const { id } = await anInvoice(api, { name: null });
  const read = (query = '') => api.get(`/invoices/${String(id)}/e-invoice${query}`);
  const answer = await read();
  expect([answer.status, answer.body]).toEqual([
    409,
    { error: 'E-invoice needs seller.taxIds, buyer.name' },
  ]);
  const national = await api.expect(409, read('?profile=XRECHNUNG'));
  expect(national.error).toContain('buyer.name, seller.contactName, seller.phone');
  const lines = [{ description: 'Work', amount: 100 }];
  const customerId = await aCustomer(api);
  const draft = await api.expect(201, api.post('/invoices', { customerId, lines }));
  const early = await api.expect(409, api.get(`/invoices/${String(draft.id)}/e-invoice`));
  expect(early).toEqual({ error: 'E-invoice needs a finalised invoice' });
});

test.each([
  ['format=PDF', { format: ['Must be one of UBL, CII, FACTUR_X'] }],
  ['profile=PEPPOL', { profile: ['Must be one of EN16931, XRECHNUNG'] }],
  ['format=FACTUR_X&profile=XRECHNUNG', { profile: ['Must be EN16931 for FACTUR_X'] }],
])('a document with %s is refused', async (query, error) => {
  for (const path of ['invoices', 'credit-notes']) {
    const answer = await system.sandbox.get(`/${path}/${unknownId}/e-invoice?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  }
});

test('an unknown invoice or credit note has no document', async () => {
  const { sandbox: api } = system;
  expect(await api.expect(404, api.get(`/invoices/${unknownId}/e-invoice`))).toEqual({
    error: 'Invoice not found',
  });
  expect(await api.expect(404, api.get('/credit-notes/x/e-invoice'))).toEqual({
    error: 'Credit note not found',
  });
});

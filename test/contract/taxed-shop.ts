import type { ApiClient } from '../support/api-client';
import type { TestSystem } from '../support/shared-system';

export const startsAt = '2026-03-01T00:00:00.000Z';
export const renewedAt = '2026-04-01T00:00:00.000Z';
export const seller = {
  legalName: 'Ada GmbH',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
  bankAccount: { holder: 'Ada GmbH', iban: 'DE89370400440532013000' },
  invoicePrefix: 'RE-2026-',
  netDays: 14,
  tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
};

/** A sandbox with a seller that taxes. */
export async function aTaxedShop(
  system: Pick<TestSystem, 'live'>,
  changes: object = {},
): Promise<ApiClient> {
  const api = await system.live.manualSandbox(startsAt);
  await setSeller(api, { ...seller, ...changes });
  return api;
}

export const setSeller = (api: ApiClient, body: object) =>
  api.expect(200, api.request('PATCH', '/seller', { body }));

export async function aCustomer(api: ApiClient, fields: object = {}): Promise<string> {
  const body = {
    ...{ email: 'bob@example.com', name: 'Bob', currency: 'EUR', address: { country: 'DE' } },
    ...{ collectionMethod: 'SEND_INVOICE', ...fields },
  };
  return (await api.expect(201, api.post('/customers', body))).id;
}

export async function aProduct(
  api: ApiClient,
  amount = 2900,
  fields: object = {},
): Promise<string> {
  const price = { type: 'FLAT', currency: 'EUR', amount, billingInterval: 'MONTHLY' };
  return (await api.expect(201, api.post('/products', { name: 'Pro', ...price, ...fields }))).id;
}

export async function invoicesOf(api: ApiClient, customerId: string): Promise<any[]> {
  return (await api.expect(200, api.get(`/invoices?customerId=${customerId}`))).data;
}

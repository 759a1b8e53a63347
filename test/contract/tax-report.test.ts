import type { ApiClient } from '../support/api-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { aCustomer, aProduct, aTaxedShop, renewedAt } from './taxed-shop';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const report = (api: ApiClient, from: string, to: string) =>
  api.get(`/tax-report?from=${from}&to=${to}`);

const line = (amount: number, taxCategory = 'standard') => ({
  description: 'Work',
  ...{ amount, taxCategory },
});

/** A shop's March and April: rates of two countries, a void, credit notes, and a renewal. */
async function aLife(api: ApiClient): Promise<void> {
  const home = await aCustomer(api);
  const abroad = await aCustomer(api, { address: { country: 'FR' } });
  const company = await aCustomer(api, {
    address: { country: 'FR' },
    taxIds: [{ type: 'EU_VAT', value: 'FR40303265045' }],
  });
  await api.expect(
    201,
    api.post('/tax-rates', { country: 'DE', category: 'ebook', percent: '7', name: 'VAT' }),
  );
  const bill = (customerId: string, lines: object[]) =>
    api.expect(201, api.post('/invoices', { customerId, lines, finalize: true }));
  const first = await bill(home, [line(1000), line(555, 'ebook'), line(333, 'exempt')]);
  await bill(abroad, [line(999)]);
  await bill(company, [line(4000)]);
  const voided = await bill(abroad, [line(12_345)]);
  const productId = await aProduct(api);
  await api.expect(201, api.post('/subscriptions', { customerId: home, productId }));
  const credit = { invoiceId: first.id, reason: 'GOODWILL' };
  await api.expect(201, api.post('/credit-notes', { ...credit, amount: 100 }));
  await api.advanceTo(renewedAt);
  await api.expect(201, api.post('/credit-notes', credit));
  await api.expect(200, api.post(`/invoices/${String(voided.id)}/void`, {}));
  await api.expect(
    201,
    api.post('/invoices', { customerId: home, lines: [line(77)], finalize: false }),
  );
}

type Sums = Record<'base' | 'tax' | 'invoices' | 'creditNotes', number>;

/** The report, counted from the lists of the API. */
async function recounted(api: ApiClient, from: string, to: string): Promise<unknown[]> {
  const read = async (path: string): Promise<any[]> =>
    (await api.expect(200, api.get(`${path}?perPage=100`))).data;
  const isIn = (at: string | null) => at !== null && at >= from && at < to;
  const rows = new Map<string, { readonly [term: string]: unknown } & Sums>();
  const add = (currency: string, tax: any, sign: number, counted: Partial<Sums>) => {
    const { country, state, reason, name, percent } = tax;
    const terms = { currency, country, state, reason, name, percent };
    const key = Object.values(terms)
      .map((value) => String(value ?? ''))
      .join('\u0000');
    const row = rows.get(key) ?? { ...terms, base: 0, tax: 0, invoices: 0, creditNotes: 0 };
    row.base += sign * Number(tax.base);
    row.tax += sign * Number(tax.amount);
    row.invoices += counted.invoices ?? 0;
    row.creditNotes += counted.creditNotes ?? 0;
    rows.set(key, row);
  };
  for (const { currency, taxes, taxStatus, finalizedAt, status, updatedAt } of await read(
    '/invoices',
  )) {
    if (taxStatus !== 'FINAL') continue;
    for (const tax of taxes) {
      if (isIn(finalizedAt)) add(currency, tax, 1, { invoices: 1 });
      // Nothing happens to an invoice after its void.
      if (status === 'VOID' && isIn(updatedAt)) add(currency, tax, -1, { invoices: -1 });
    }
  }
  for (const { currency, taxes, issuedAt } of await read('/credit-notes')) {
    if (!isIn(issuedAt)) continue;
    for (const tax of taxes) add(currency, tax, -1, { creditNotes: 1 });
  }
  const sorted = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, row]) => row);
}

test('the tax report equals a recount of invoices and credit notes', async () => {
  const api = await aTaxedShop(system);
  await aLife(api);
  for (const [from, to] of [
    ['2026-03-01', '2026-04-01'],
    ['2026-04-01', '2026-05-01'],
    ['2026-03-01', '2026-05-01'],
    ['2025-01-01', '2026-01-01'],
  ] as const) {
    const rows = await api.expect(200, report(api, from, to));
    expect(rows).toEqual(await recounted(api, from, to));
  }
  const march = await api.expect(200, report(api, '2026-03-01', '2026-04-01'));
  expect(march.map(({ country, reason, percent }: any) => [country, reason, percent])).toEqual([
    ['DE', 'EXEMPT', '0'],
    ['DE', 'STANDARD', '19'],
    ['DE', 'STANDARD', '7'],
    ['FR', 'REVERSE_CHARGE', '0'],
    ['FR', 'STANDARD', '20'],
  ]);
  const april = await api.expect(200, report(api, '2026-04-01', '2026-05-01'));
  expect(april.at(-1)).toMatchObject({ country: 'FR', base: -12_345, tax: -2469, invoices: -1 });
});

test('an environment without tax has an empty report', async () => {
  const { sandbox } = system;
  expect(await sandbox.expect(200, report(sandbox, '2020-01-01', '2020-02-01'))).toEqual([]);
});

test.each([
  ['', { from: ['Required'], to: ['Required'] }],
  ['?from=2026-01-01&to=2026-01-01', { to: ['Must be after from'] }],
  ['?from=2026-01-01&to=2027-02-06', { to: ['Must be at most 400 days after from'] }],
  ['?from=2026-02-30&to=x', { from: ['Invalid date'], to: ['Invalid date'] }],
])('a report with %j is refused', async (query, error) => {
  const answer = await system.sandbox.get(`/tax-report${query}`);
  expect([answer.status, answer.body]).toEqual([400, { error }]);
});

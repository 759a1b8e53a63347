import { aCustomer, aProduct, setSeller, seller } from '../contract/taxed-shop';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

// A shop in Germany with consumers in two countries, while the rate of each country changes.

const startsAt = '2026-01-31T00:00:00.000Z';
const yearLater = '2027-01-31T00:00:00.000Z';
const amount = 2999;
const consumption = { category: 'standard', name: 'VAT' };
const lowered = {
  ...{ country: 'DE', percent: '16', validFrom: '2026-07-01', validTo: '2027-01-01' },
  ...consumption,
};
const raised = { country: 'FR', percent: '21', validFrom: '2026-10-31', ...consumption };

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

/** Tax of 29.99 by rate, rounded half up. */
const taxes = {
  EXCLUDE_TAX: { 19: 570, 16: 480, 20: 600, 21: 630 },
  INCLUDE_TAX: { 19: 479, 16: 414, 20: 500, 21: 520 },
} as const;

// The last day of each month from January to January.
const rates = {
  DE: [19, 19, 19, 19, 19, 19, 16, 16, 16, 16, 16, 16, 19],
  FR: [20, 20, 20, 20, 20, 20, 20, 20, 20, 21, 21, 21, 21],
} as const;

test.each(['EXCLUDE_TAX', 'INCLUDE_TAX'] as const)(
  'each invoice of a year has the rate of its day, and keeps it (%s)',
  async (prices) => {
    const api = await system.live.manualSandbox(startsAt);
    await setSeller(api, { ...seller, tax: { ...seller.tax, prices } });
    for (const rate of [lowered, raised]) await api.expect(201, api.post('/tax-rates', rate));
    const productId = await aProduct(api, amount);
    const subscribe = async (country: 'DE' | 'FR') => {
      const customerId = await aCustomer(api, { address: { country } });
      const { id } = await api.expect(201, api.post('/subscriptions', { customerId, productId }));
      return String(id);
    };
    const subscriptions = { DE: await subscribe('DE'), FR: await subscribe('FR') };
    const invoicesOf = (country: 'DE' | 'FR') =>
      api.all(`/invoices?subscriptionId=${subscriptions[country]}&order=asc`);

    await api.advanceTo('2026-09-01T00:00:00.000Z');
    const early = [...(await invoicesOf('DE')), ...(await invoicesOf('FR'))];
    await api.advanceTo(yearLater);

    const kept = new Map<string, any>();
    for (const country of ['DE', 'FR'] as const) {
      const invoices = await invoicesOf(country);
      for (const invoice of invoices) kept.set(String(invoice.id), invoice);
      expect(invoices.map(({ taxes: [row], ...rest }) => ({ ...amountsOf(rest), ...row }))).toEqual(
        rates[country].map((rate) =>
          expect.objectContaining({
            ...expectedAmounts(prices, taxes[prices][rate]),
            ...{ country, percent: String(rate), reason: 'STANDARD' },
          }),
        ),
      );
    }
    // Later rates leave earlier invoices as they were; becoming overdue is an update.
    for (const { updatedAt: _at, ...invoice } of early) {
      expect(kept.get(String(invoice.id))).toMatchObject(invoice);
    }

    const report = await api.expect(200, api.get('/tax-report?from=2026-01-01&to=2027-02-01'));
    expect(report).toEqual(
      (
        [
          ['DE', 16],
          ['DE', 19],
          ['FR', 20],
          ['FR', 21],
        ] as const
      ).map(([country, rate]) => {
        const invoices = rates[country].filter((one: number) => one === rate).length;
        const { base, tax } = expectedAmounts(prices, taxes[prices][rate]);
        return expect.objectContaining({
          ...{ country, percent: String(rate), currency: 'EUR', creditNotes: 0, invoices },
          ...{ base: base * invoices, tax: tax * invoices },
        });
      }),
    );
  },
);

const amountsOf = ({ total, tax }: any) => ({ total, tax });

function expectedAmounts(prices: keyof typeof taxes, tax: number) {
  const base = prices === 'EXCLUDE_TAX' ? amount : amount - tax;
  return { base, amount: tax, tax, total: base + tax };
}

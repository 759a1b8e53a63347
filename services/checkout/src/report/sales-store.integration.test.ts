import fc from 'fast-check';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { type Invoice, type InvoiceRecord, tombstone, totalOf } from '../invoice/invoice';
import { invoiceDefinition } from '../invoice/document/store';
import { aLineItem, anOpened } from '../testing/invoice';
import type { RecentSales } from './sales';
import { SalesStore } from './sales-store';

const configuration = testServiceConfiguration('checkoutsales');
const now = new Date('2026-03-01T15:00:00Z');
const dayMs = 86_400_000;

let running: RunningService;
let invoices: AggregateCollection<InvoiceRecord>;
let sales: SalesStore;

beforeAll(async () => {
  const service = await Service.open('checkout', configuration);
  invoices = service.aggregates(invoiceDefinition);
  sales = new SalesStore(invoices);
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

interface Sale {
  readonly createdAt: Date;
  readonly invoice: Invoice;
}

const only = <S>(state: S) => ({ state, events: [], commands: [] });
const store = async ({ createdAt, invoice }: Sale, context: CallContext) => {
  await invoices.within({ ...context, now: createdAt }).insert(only(invoice));
};

const statuses = ['DRAFT', 'OPEN', 'PAID', 'UNCOLLECTIBLE', 'VOID'] as const;
// The edges of three days, and of the present.
const createdAt = fc.constantFrom(
  ...['2026-02-27T23:59:59.999Z', '2026-02-28T00:00:00Z', '2026-02-28T23:59:59.999Z'],
  ...['2026-03-01T00:00:00Z', '2026-03-01T07:30:00Z', '2026-03-01T15:00:00Z'],
  ...['2026-03-01T15:00:00.001Z', '2026-03-02T00:00:00Z'],
);
const amount = fc.oneof(fc.bigInt(-5_000n, 5_000n), fc.constant(999_999_999_999n));
const terms = { reason: 'STANDARD', name: 'VAT', country: 'DE', state: null } as const;
const line = fc.record({ amount, tax: fc.option(amount, { nil: undefined }) }).map((one) => {
  if (one.tax === undefined) return aLineItem({ amount: one.amount });
  const priced = { pricedAmount: one.amount, pricedDiscount: 0n };
  return aLineItem({ ...one, tax: { ...terms, percent: '19', ...priced, amount: one.tax } });
});
const sale: fc.Arbitrary<Sale> = fc
  .record({
    createdAt: createdAt.map((text) => new Date(text)),
    currency: fc.constantFrom('EUR' as const, 'JPY' as const, 'USD' as const),
    status: fc.constantFrom(...statuses),
    lineItems: fc.array(line, { maxLength: 3 }),
    discounts: fc.array(fc.bigInt(0n, 900n), { maxLength: 2 }),
  })
  .map(({ createdAt: at, discounts, ...fields }) => ({
    createdAt: at,
    invoice: {
      ...anOpened(),
      ...fields,
      id: newId(),
      discounts: discounts.map((off) => ({ discountId: newId(), name: 'Off', amount: off })),
    },
  }));

/** Expected sales, added up from all invoices. */
function recount(all: readonly Sale[], at: Date): RecentSales[] {
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  const sumOf = (some: readonly Sale[]) => ({
    count: BigInt(some.length),
    amount: some.reduce((sum, { invoice }) => sum + totalOf(invoice), 0n),
  });
  const shown = all.filter(
    ({ createdAt: made, invoice: { status } }) =>
      status !== 'DRAFT' && status !== 'VOID' && made <= at && made.getTime() >= midnight - dayMs,
  );
  const currencies = [...new Set(shown.map(({ invoice }) => invoice.currency))].sort();
  return currencies.map((currency) => {
    const own = shown.filter(({ invoice }) => invoice.currency === currency);
    const salesOf = (day: readonly Sale[]) => ({
      invoiced: sumOf(day),
      paid: sumOf(day.filter(({ invoice }) => invoice.status === 'PAID')),
    });
    return {
      currency,
      today: salesOf(own.filter(({ createdAt: made }) => made.getTime() >= midnight)),
      yesterday: salesOf(own.filter(({ createdAt: made }) => made.getTime() < midnight)),
    };
  });
}

describe('sales of two days', () => {
  test('equal a recount of all invoices, on each day of a sandbox clock and after changes', async () => {
    const some = fc.array(sale, { minLength: 5, maxLength: 25 });
    const changes = fc.array(fc.tuple(fc.nat(24), fc.constantFrom(...statuses)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(some, changes, async (made, changed) => {
        // Each run has an environment of its own, and those of earlier runs are in the database.
        const context = testContext({ now });
        await Promise.all(made.map((one) => store(one, context)));
        const expectEqual = async (all: readonly Sale[]) => {
          for (const days of [0, 1, 2, 3]) {
            const at = new Date(now.getTime() + days * dayMs);
            const { currencies, isMore } = await sales.recent({ ...context, now: at });
            expect(currencies).toEqual(recount(all, at));
            expect(isMore).toBe(false);
          }
        };
        await expectEqual(made);
        const all = [...made];
        for (const [which, status] of changed) {
          const at = which % all.length;
          const invoice = { ...(all[at] as Sale).invoice, status };
          all[at] = { ...(all[at] as Sale), invoice };
          await invoices.within(context).mutate(invoice.id, () => only(invoice));
        }
        await expectEqual(all);
      }),
      { numRuns: 12 },
    );
  });

  test('include invoices of earlier releases, and exclude tombstones', async () => {
    const context = testContext({ now });
    const tenant = { environmentId: context.tenant.environmentId };
    const invoice: Invoice = { ...anOpened(), id: newId(), status: 'PAID' };
    await store({ createdAt: now, invoice }, context);
    await invoices.documents.updateOne(
      { ...tenant, _id: invoice.id },
      { $unset: { discounts: '', 'lineItems.0.tax': '' }, $set: { 'lineItems.0.amount': 31 } },
    );
    const { customerId } = invoice;
    const never = { id: newId(), subscriptionId: undefined, customerId, currency: 'USD' } as const;
    await invoices.within(context).insert(tombstone(never));
    const none = { count: 0n, amount: 0n };
    const one = { count: 1n, amount: 31n };
    expect((await sales.recent(context)).currencies).toEqual([
      {
        currency: 'USD',
        today: { invoiced: one, paid: one },
        yesterday: { invoiced: none, paid: none },
      },
    ]);
  });

  test('count the newest invoices alone if there are too many', async () => {
    const few = new SalesStore(invoices, { recentInvoicesMax: 2 });
    const context = testContext({ now });
    const countAfter = async (secondsAgo: number) => {
      const createdAt = new Date(now.getTime() - secondsAgo * 1_000);
      const lineItems = [aLineItem({ amount: BigInt(secondsAgo) })];
      await store({ createdAt, invoice: { ...anOpened(), id: newId(), lineItems } }, context);
      const { currencies, isMore } = await few.recent(context);
      return [currencies[0]?.today.invoiced, isMore];
    };
    expect(await countAfter(9)).toEqual([{ count: 1n, amount: 9n }, false]);
    expect(await countAfter(7)).toEqual([{ count: 2n, amount: 16n }, false]);
    expect(await countAfter(8)).toEqual([{ count: 2n, amount: 15n }, true]);
  });
});

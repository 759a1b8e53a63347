import { type RunningService, Service } from '@billing/chassis/service';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import type { BalanceEntry } from '../balance/balance';
import { BalanceEntryStore } from '../balance/entry-store';
import type { CreditNote } from '../invoice/credit/credit';
import { movedSince } from '../invoice/document/moved-month';
import { type Invoice, type InvoiceRecord, voidInvoice } from '../invoice/invoice';
import { invoiceDefinition } from '../invoice/document/store';
import { aLineItem, anOpened } from '../testing/invoice';
import { MoneyReportStore } from './money-report-store';

const configuration = testServiceConfiguration('moneyreports');
const january = new Date('2026-01-31T10:00:00Z');
const march = new Date('2026-03-01T10:00:00Z');
const context = testContext({ now: january });
const later = { ...context, now: march };

let running: RunningService;
let invoices: AggregateCollection<InvoiceRecord>;
let entries: BalanceEntryStore;
let reports: MoneyReportStore;

beforeAll(async () => {
  const service = await Service.open('checkout', configuration);
  invoices = service.aggregates(invoiceDefinition);
  entries = new BalanceEntryStore(service.db);
  reports = new MoneyReportStore(invoices, service.db);
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const tax = {
  ...({ reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent: '19' } as const),
  ...{ amount: 551n, pricedAmount: 2900n, pricedDiscount: 0n },
};
const row = { reason: tax.reason, name: tax.name, country: tax.country, state: tax.state };

/** A taxed invoice of 34.51, final in January. */
function aTaxed(change: Partial<Invoice> = {}): Invoice {
  const opened = anOpened({ lineItems: [aLineItem({ amount: 2900n })] });
  return {
    ...opened,
    id: newId(),
    lineItems: opened.lineItems.map((line) => ({ ...line, tax })),
    finalization: {
      ...{ at: january, netDays: 30, invoicePrefix: 'INV-', parties: undefined },
      taxes: {
        ...{ prices: 'EXCLUDE_TAX', evidence: [] },
        rows: [{ ...row, percent: '19', base: 2900n, amount: 551n, legalText: null }],
      },
    },
    ...change,
  };
}

const only = <S>(state: S) => ({ state, events: [], commands: [] });

function anEntry(amount: bigint, sequence: number): BalanceEntry {
  return {
    ...{ id: newId(), customerId: newId(), currency: 'USD', amount, balanceAfter: amount },
    ...{ sequence, kind: 'ADJUSTMENT', description: 'Test', metadata: {}, createdAt: march },
    ...{ invoiceId: undefined, creditNoteId: undefined, refundId: undefined },
  };
}

test('reports read what happened to invoices in their months, of their environment alone', async () => {
  const store = invoices.within(context);
  const [voided, plain] = [aTaxed(), { ...anOpened(), id: newId() }];
  for (const one of [aTaxed(), voided, plain]) await store.insert(only(one));
  const stranger = testContext({ now: january });
  const other = { ...stranger, tenant: { ...stranger.tenant, environmentId: newId() } };
  await invoices.within(other).insert(only(aTaxed()));
  await invoices
    .within(later)
    .mutate(voided.id, (record) => voidInvoice(record, { number: undefined, now: march }));
  await entries.insert([anEntry(100n, 1), anEntry(-30n, 2), anEntry(0n, 0)], context);

  const read = async (from: string, to: string) => [
    ...(await reports.taxes({ from: new Date(from), to: new Date(to) }, context)).values(),
  ];
  const sums = { base: 2900n, tax: 551n, invoices: 1n, creditNotes: 0n };
  expect(await read('2026-01-01', '2026-02-01')).toEqual([
    { ...sums, base: 5800n, tax: 1102n, invoices: 2n },
  ]);
  expect(await read('2026-02-01', '2026-03-01')).toEqual([]);
  expect(await read('2026-03-01', '2026-04-01')).toEqual([
    { ...sums, base: -2900n, tax: -551n, invoices: -1n },
  ]);

  const payments = await reports.payments(new Date('2026-02-01'), context);
  expect(payments.get('USD 2026-03')).toEqual({
    ...{ voided: 3451n, balanceIn: 100n, balanceOut: 30n },
  });
  const all = await reports.payments(new Date('2026-01-01'), context);
  // The last invoice is of an earlier release.
  expect(all.get('USD 2026-01')).toMatchObject({ invoiced: 6902n + 2900n, tax: 1102n });
});

test('invoices of months that nothing moved in are not read, and sums of any span equal a recount of all', async () => {
  const span = testContext({ now: january });
  const store = invoices.within(span);
  const time = (month: number) => new Date(Date.UTC(2026, month, 10, 12));
  const finalIn = (month: number) => {
    const { finalization, ...taxed } = aTaxed();
    return { ...taxed, finalization: finalization && { ...finalization, at: time(month) } };
  };
  const credited = (month: number, in_: number) => ({
    ...finalIn(month),
    creditNotes: [aNote(time(in_))],
  });
  const all = [0, 1, 2, 3, 4].flatMap((month) => [
    finalIn(month),
    { ...finalIn(month), status: 'VOID' as const, voidedAt: time(month + 1) },
    credited(month, 5),
    { ...finalIn(month), finalization: undefined },
  ]);
  for (const invoice of all) await store.insert(only(invoice));
  for (const from of [0, 1, 3, 5, 6]) {
    const since = new Date(Date.UTC(2026, from));
    const read = await reports.payments(since, span);
    const month = `2026-0${String(from + 1)}`;
    const final = all.filter(({ finalization }) => finalization?.at.getUTCMonth() === from);
    const voided = all.filter(({ voidedAt }) => voidedAt?.getUTCMonth() === from);
    const notes = all.filter(({ creditNotes }) => creditNotes[0]?.issuedAt.getUTCMonth() === from);
    // Those of an earlier release count in the month of their creation.
    const old = from === 0 ? 5 : 0;
    const counts = read.get(`USD ${month}`) ?? {};
    expect([from, counts.invoiced ?? 0n, counts.voided ?? 0n, counts.credited ?? 0n]).toEqual([
      ...[from, 3451n * BigInt(final.length + old), 3451n * BigInt(voided.length)],
      119n * BigInt(notes.length),
    ]);
    const next = { from: since, to: new Date(Date.UTC(2026, from + 1)) };
    const taxes = [...(await reports.taxes(next, span)).values()];
    const tax = 551n * BigInt(final.length - voided.length) - 19n * BigInt(notes.length);
    expect([from, taxes[0]?.tax ?? 0n]).toEqual([from, tax]);
  }
  const { environmentId } = span.tenant;
  const [moved] = movedSince(time(3), { environmentId });
  const found = await invoices.documents.find(moved as object).toArray();
  const months = found.map((one) => (one as unknown as { movedMonth: string }).movedMonth);
  expect(months).toHaveLength(5 + 2 + 3);
  expect(months.every((one) => one >= '2026-04')).toBe(true);
});

function aNote(issuedAt: Date): CreditNote {
  return {
    ...{ id: newId(), number: undefined, reason: 'GOODWILL', memo: undefined, metadata: {} },
    lines: [{ lineItemId: aLineItem().id, total: 119n, taxAmount: 19n }],
    ...{ reduced: 0n, toBalance: 119n, external: 0n, issuedAt },
  };
}

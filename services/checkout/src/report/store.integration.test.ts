import { type RunningService, Service } from '@billing/chassis/service';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import type { Invoice, InvoiceRecord, Payment } from '../invoice/invoice';
import { SalesStore } from './sales-store';
import { ReportStore } from './store';
import type { SessionRecord } from '../sales/session';
import { sessionDefinition } from '../sales/session-store';
import { invoiceDefinition } from '../invoice/document/store';
import { aLineItem, anOpened } from '../testing/invoice';
import { aReadySession } from '../testing/session';

const configuration = testServiceConfiguration('checkoutreports');
const hourMs = 3_600_000;
// Real time of the test; writes of an hour ago are permanently added up.
const clock: Clock & { at: Date } = {
  at: new Date('2026-03-01T00:00:00Z'),
  now() {
    return this.at;
  },
};
const context = testContext({ now: new Date('2026-01-31T10:00:00Z') });

let running: RunningService;
let invoices: AggregateCollection<InvoiceRecord>;
let sessions: AggregateCollection<SessionRecord>;
let reports: ReportStore;

beforeAll(async () => {
  const service = await Service.open('checkout', configuration, { clock });
  invoices = service.aggregates(invoiceDefinition);
  sessions = service.aggregates(sessionDefinition);
  reports = new ReportStore(service, { invoices, sessions });
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const balanceTenant = { ...context.tenant, environmentId: newId() };

const aFailedCharge = (): Payment => ({
  id: newId(),
  number: 1,
  amount: 2500n,
  provider: 'sandbox',
  providerPaymentId: undefined,
  status: 'FAILED',
  failureCode: undefined,
  decline: undefined,
  methodId: undefined,
  origin: 'COLLECTION',
  retry: 0,
  callId: undefined,
  recorded: undefined,
  overpayment: 0n,
  createdAt: context.now,
  endedAt: context.now,
});

const only = <S>(state: S) => ({ state, events: [], commands: [] });
const keep = async () => {
  clock.at = new Date(clock.at.getTime() + hourMs);
  await reports.updateSnapshots(new AbortController().signal);
};

/** Reads before and after the totals are permanently added up; both must be the same. */
async function readTwice<T>(read: () => Promise<T>): Promise<T> {
  const fresh = await read();
  await keep();
  expect(await read()).toEqual(fresh);
  return fresh;
}

test('invoices count on the day of their first failure, with their discounts', async () => {
  const store = invoices.within(context);
  const failed = (parts: Partial<Invoice>): Invoice => ({
    ...anOpened({ lineItems: [aLineItem({ amount: 2900n }), aLineItem({ amount: 100n })] }),
    id: newId(),
    discounts: [{ discountId: newId(), name: 'Welcome', amount: 500n }],
    firstFailedAt: new Date('2026-01-30T23:59:59.999Z'),
    ...parts,
  });
  const recovered = failed({});
  const open = failed({ firstFailedAt: new Date('2026-01-31T00:00:00Z') });
  for (const one of [recovered, open, { ...anOpened(), id: newId() }])
    await store.insert(only(one));
  const none = { count: 0n, amount: 0n };
  const one = { count: 1n, amount: 2500n };
  const nothing = {
    currency: 'USD',
    recoveredByRetry: [],
    recoveredOtherwise: none,
    uncollectible: none,
    voided: none,
  };
  expect(await readTwice(() => reports.dunning(context))).toEqual([
    { day: '2026-01-30', ...nothing, failed: one },
    { day: '2026-01-31', ...nothing, failed: one },
  ]);

  const payment = (status: Payment['status'], index: number): Payment => ({
    ...aFailedCharge(),
    number: index + 1,
    status,
    retry: index,
  });
  const payments = (['FAILED', 'FAILED', 'SUCCEEDED'] as const).map(payment);
  await store.mutate(recovered.id, (record) =>
    only({ ...record, status: 'PAID', payments } as Invoice),
  );
  const [first] = await readTwice(() => reports.dunning(context));
  expect(first).toEqual({
    day: '2026-01-30',
    ...nothing,
    failed: one,
    recoveredByRetry: [none, one],
  });
});

test('an invoice counts with the amount that its charges had to cover, also once it is voided', async () => {
  const store = invoices.within({ ...context, tenant: balanceTenant });
  const charge: Payment = { ...aFailedCharge(), amount: 2100n };
  const failed: Invoice = {
    ...anOpened({ lineItems: [aLineItem({ amount: 3000n })] }),
    id: newId(),
    balanceApplied: 900n,
    firstFailedAt: new Date('2026-01-30T12:00:00Z'),
    payments: [charge],
  };
  await store.insert(only(failed));
  const read = () => reports.dunning({ tenant: balanceTenant });
  expect((await readTwice(read))[0]?.failed).toEqual({ count: 1n, amount: 2100n });
  await store.mutate(failed.id, (record) =>
    only({ ...record, status: 'VOID', balanceApplied: 0n } as Invoice),
  );
  const [day] = await readTwice(read);
  expect([day?.failed, day?.voided]).toEqual([
    { count: 1n, amount: 2100n },
    { count: 1n, amount: 2100n },
  ]);
});

test('an invoice that was never charged counts with its taxes', async () => {
  const tenant = { ...context.tenant, environmentId: newId() };
  const tax = {
    ...({ reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent: '24' } as const),
    ...{ amount: 600n, pricedAmount: 3000n, pricedDiscount: 500n },
  };
  const taxed = (parts: Partial<Invoice>): Invoice => ({
    ...anOpened({ lineItems: [aLineItem({ amount: 3000n, discountAmount: 500n, tax })] }),
    id: newId(),
    discounts: [{ discountId: newId(), name: 'Welcome', amount: 500n }],
    firstFailedAt: new Date('2026-01-30T12:00:00Z'),
    ...parts,
  });
  const store = invoices.within({ ...context, tenant });
  for (const one of [taxed({}), taxed({ status: 'VOID' })]) await store.insert(only(one));
  const [day] = await readTwice(() => reports.dunning({ tenant }));
  expect([day?.failed, day?.voided]).toEqual([
    { count: 2n, amount: 6200n },
    { count: 1n, amount: 3100n },
  ]);
});

test('an account and the sales of two days are sums over stored invoices', async () => {
  const other = testContext({ now: context.now });
  const sales = new SalesStore(invoices);
  const customerId = newId();
  const invoiceOf = (parts: Partial<Invoice>) => ({ ...anOpened(), id: newId(), ...parts });
  const discounts = [{ discountId: newId(), name: 'Welcome', amount: 500n }];
  const yesterday = { ...other, now: new Date('2026-01-30T09:00:00Z') };
  await invoices.within(yesterday).insert(only(invoiceOf({ customerId })));
  for (const one of [invoiceOf({ customerId, discounts }), invoiceOf({})])
    await invoices.within(other).insert(only(one));
  const { accounts, isMore } = await sales.accountsOf(customerId, other);
  expect(accounts).toMatchObject([{ currency: 'USD', owed: 5300n, openInvoices: 2, paid: 0n }]);
  expect(isMore).toBe(false);
  const none = { count: 0n, amount: 0n };
  expect(await sales.recent(other)).toEqual({
    currencies: [
      {
        currency: 'USD',
        today: { invoiced: { count: 2n, amount: 5300n }, paid: none },
        yesterday: { invoiced: { count: 1n, amount: 2900n }, paid: none },
      },
    ],
    isMore: false,
  });
  expect(await sales.hasPayment(other)).toBe(false);
  const longAgo = { ...other, now: new Date('2025-01-30T09:00:00Z') };
  await invoices.within(longAgo).insert(only(invoiceOf({ status: 'PAID' })));
  expect(await sales.hasPayment(other)).toBe(true);
});

test('sessions count on the day of their creation, regardless of their end', async () => {
  const session = { ...aReadySession(), id: newId() };
  await sessions.within(context).insert(only(session));
  const made = { day: '2026-01-31', created: 1n, completed: 0n, expired: 0n };
  // A read requests the update, but nothing can be permanently added up yet.
  expect(await reports.funnel(context)).toEqual([made]);
  await reports.updateSnapshots(new AbortController().signal);
  expect(await readTwice(() => reports.funnel(context))).toEqual([made]);
  const later = { ...context, now: new Date('2026-02-01T10:00:00Z') };
  await sessions.within(later).mutate(session.id, (record) => {
    if (record.isTombstone) throw new Error('The session was made');
    return only({ ...record, phase: 'COMPLETE' as const });
  });
  expect(await readTwice(() => reports.funnel(later))).toEqual([{ ...made, completed: 1n }]);
});

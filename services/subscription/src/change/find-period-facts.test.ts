import { testContext } from '@billing/chassis/testing';
import {
  type Invoice,
  InvoiceStatus,
  LineItemKind,
  Payment,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { periodBill } from '../billing/bill';
import { requestChange } from '../lifecycle/apply-change';
import { cancel, creditsOf } from '../lifecycle/cancellation';
import { sourceOf } from '../lifecycle/period-charges';
import { takeDueStep } from '../lifecycle/due-steps';
import { toProtoChangeInvoice, toProtoNewInvoice } from '../peer/checkout';
import { periodOf } from '../subscription/billing-cycle';
import { mainItem, type Subscription } from '../subscription/subscription';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { type FactDependencies, fetchPeriodFacts, fetchPeriodInvoices } from './find-period-facts';

const begun: Subscription = {
  ...aSubscription({}, { ...at(day('06-01')), price: aPrice({ amount: 10000n }) }),
  openInvoices: [],
  latestInvoice: { id: invoiceIdOf(0), periodIndex: 0 },
};

/** The paid invoice of a period, as checkout has it. */
function invoiceOfPeriod(subscription: Subscription, periodIndex: number): Invoice {
  const { recurring, putOff, lines: usage } = periodBill(subscription, periodIndex, []);
  const request = toProtoNewInvoice(subscription, {
    ...{ invoiceId: invoiceIdOf(periodIndex), reason: 'SUBSCRIPTION_CYCLE' },
    ...{ authorizedTransactionId: null, isDiscounted: false, buyer: undefined, taxCategory: null },
    ...{ period: periodOf(subscription, periodIndex), recurring, putOff, usage },
  });
  return anInvoice(request, InvoiceStatus.INVOICE_STATUS_PAID);
}

async function factsOf(subscription: Subscription, invoices: readonly Invoice[]) {
  const checkout = {
    getInvoice: ({ id }: { readonly id: string }) => {
      const invoice = invoices.find((one) => one.id === id);
      const left = (invoice?.lineItems ?? []).map(({ amount }) => ({ amount }));
      return Promise.resolve({ invoice, left, reservedByOtherChange: false });
    },
  };
  const found = await fetchPeriodInvoices(
    invoices.map(({ id }) => id),
    subscription,
    { changeId: 'change', context: testContext(), peers: { checkout } as never },
  );
  return {
    periodIndex: subscription.periodIndex ?? 0,
    invoices: found.flatMap(({ invoice }) => invoice ?? []),
  };
}

const wantedOf = (changeId: string, amount: bigint) => ({
  product: { productId: changeId, productName: 'Other', price: aPrice({ id: changeId, amount }) },
  ...{ quantity: null, discount: null },
});

/** The subscription upgraded to 30000 in the middle of June; the next invoice bills it. */
async function upgraded() {
  const first = invoiceOfPeriod(begun, 0);
  const request = aChangeRequest({
    ...{ changeId: 'pro', requirePayment: false, collect: 'NEXT_INVOICE' },
    ...{ wanted: wantedOf('pro', 30000n), facts: await factsOf(begun, [first]) },
  });
  const { state } = requestChange(begun, request, { now: day('06-16') });
  return { state, first };
}

describe('the charge of a period that is read from its invoice', () => {
  test('is not a line put off in the period before, where the new one is free', async () => {
    const { state: pro } = await upgraded();
    const toFree = aChangeRequest({
      ...{ changeId: 'free', at: 'PERIOD_END', wanted: wantedOf('free', 0n) },
    });
    const planned = requestChange(pro, toFree, { now: day('06-20') }).state;
    const free = takeDueStep(planned, at(day('07-01'))).state;
    expect(mainItem(free).productId).toBe('free');
    const renewal = invoiceOfPeriod(free, 1);
    expect(renewal.lineItems.map(({ amount }) => amount)).toEqual([0n, -5000n, 15000n]);
    const facts = await factsOf(free, [renewal]);
    const terms = { facts, proration: 'PRORATE', creditNoteIdOf: (id: string) => id } as const;
    const end = { ...terms, at: day('07-10'), invoiceIdOf };
    expect(creditsOf(free, end)).toEqual({ unusedLines: [], kept: [], voided: [] });
    const call = { ...terms, id: 'call', instant: null, reservedRound: null };
    const ended = cancel(free, { atPeriodEnd: false, ...at(day('07-10')), call });
    expect(ended.state.changes.cancellation).toBeNull();
  });

  test('is the recurring line, also behind a line put off', async () => {
    const { state: pro } = await upgraded();
    const renewed = takeDueStep(pro, at(day('07-01'))).state;
    const renewal = invoiceOfPeriod(renewed, 1);
    const turned = { ...renewal, lineItems: renewal.lineItems.toReversed() };
    const { invoices } = await factsOf(renewed, [turned]);
    expect(invoices).toMatchObject([{ recurring: { amount: 30000n } }]);
  });

  test('is a recurring line of a release that stored no kinds', async () => {
    const first = invoiceOfPeriod(begun, 0);
    const kind = LineItemKind.LINE_ITEM_KIND_UNSPECIFIED;
    const lineItems = first.lineItems.map((line) => ({ ...line, kind }));
    const { invoices } = await factsOf(begun, [{ ...first, lineItems }]);
    expect(invoices).toMatchObject([{ recurring: { amount: 10000n } }]);
  });
});

describe('an unpaid invoice', () => {
  const open = { ...invoiceOfPeriod(begun, 0), status: InvoiceStatus.INVOICE_STATUS_OPEN };
  const paymentOf = (status: PaymentStatus) => Payment.fromPartial({ status, amount: 2000n });

  test.each<[string, Partial<Invoice>, boolean | undefined]>([
    ['is voided by an end', {}, undefined],
    [
      'is voided after a failed payment',
      { payments: [paymentOf(PaymentStatus.PAYMENT_STATUS_FAILED)] },
      undefined,
    ],
    [
      'stays once a part of it is paid',
      { payments: [paymentOf(PaymentStatus.PAYMENT_STATUS_SUCCEEDED)] },
      false,
    ],
    ['stays once a part of it is credited', { creditNoteIds: ['note'] }, false],
  ])('%s', async (_name, parts, isVoidable) => {
    const { invoices } = await factsOf(begun, [{ ...open, ...parts }]);
    expect(invoices[0]?.isVoidable).toBe(isVoidable);
  });
});

test.each<[string, Partial<Invoice> | undefined]>([
  ['does not exist yet', undefined],
  ['is not open yet', { status: InvoiceStatus.INVOICE_STATUS_DRAFT }],
])('an invoice that %s is waited for', async (_name, early) => {
  const invoice = invoiceOfPeriod(begun, 0);
  const left = invoice.lineItems.map(({ amount }) => ({ amount }));
  const unopened = early && { ...invoice, ...early };
  const seen = [unopened, unopened];
  const getInvoice = () => {
    const found = seen.length > 0 ? seen.shift() : invoice;
    return Promise.resolve({ invoice: found, left, reservedByOtherChange: false });
  };
  const clock = { now: () => day('06-16') };
  const dependencies = { clock, peers: { checkout: { getInvoice } } } as never as FactDependencies;
  const stored = { state: begun } as Parameters<typeof fetchPeriodFacts>[0];
  const facts = await fetchPeriodFacts(stored, testContext(), dependencies, 'change');
  expect(facts?.invoices).toMatchObject([{ invoiceId: invoiceIdOf(0), status: 'PAID' }]);
  expect(seen).toEqual([]);
});

test('the source of unused time on an invoice that took lines put off along is the line of its own product', async () => {
  const { state: pro, first } = await upgraded();
  const request = aChangeRequest({
    ...{ changeId: 'max', requirePayment: false, wanted: wantedOf('max', 50000n) },
    facts: await factsOf(pro, [first]),
  });
  const { state } = requestChange(pro, request, { now: day('06-21') });
  const made = state.changes.finished.at(-1)?.invoice;
  if (made === null || made === undefined) throw new Error('Nothing was billed');
  const invoice = anInvoice(toProtoChangeInvoice(state, made), InvoiceStatus.INVOICE_STATUS_PAID);
  const facts = await factsOf(state, [invoice, first]);
  const source = sourceOf(facts, { subscription: state, itemId: mainItem(state).id });
  const line = invoice.lineItems.find(({ id }) => id === source?.lineItemId);
  expect(line).toMatchObject({ itemProductId: 'max', amount: 16667n });
});

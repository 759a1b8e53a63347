import { AuditActorType } from '@billing/proto/billing/identity/v1/operator';
import { BalanceEntryKind } from '@billing/proto/billing/checkout/v1/balance';
import type { BalanceEntry } from '@billing/proto/billing/checkout/v1/balance';
import {
  BillingReason,
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { TaxStatus } from '@billing/proto/billing/checkout/v1/invoice_tax';
import {
  type Dispute,
  DisputeStatus,
  type Refund,
  RefundStatus,
} from '@billing/proto/billing/checkout/v1/refund';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import { WebhookDeliveryStatus } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import {
  ChangeKind,
  ChangeStatus,
  type SubscriptionChange,
} from '@billing/proto/billing/subscription/v1/change';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import {
  CancelReason,
  SubscriptionPhase,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { activityOf, type CustomerHistory } from './activity';

const day = (date: number) => new Date(Date.UTC(2026, 0, date));
const none = { items: [], isCut: false };
const history: CustomerHistory = {
  customer: { createdAt: day(1) } as Customer,
  invoices: none,
  plans: [],
  planChanges: [],
  balanceEntries: none,
  ...{ creditNotes: none, refunds: none, disputes: none },
  webhooks: [],
  changes: none,
  isPartial: false,
  operatorNames: new Map(),
};

const invoice = (date: number, parts: Partial<Invoice> = {}): Invoice =>
  ({
    id: `invoice ${String(date)}`,
    number: `INV-${String(date)}`,
    status: InvoiceStatus.INVOICE_STATUS_OPEN,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
    billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
    currency: 'USD',
    ...{ subtotal: 2900n, discountAmount: 0n, tax: 0n, total: 2900n, amountPaid: 0n },
    ...{ amountDue: 2900n, balanceApplied: 0n, creditNoteIds: [] },
    ...{ amountReduced: 0n, amountCredited: 0n, amountRefunded: 0n },
    ...{ discounts: [], lineItems: [], payments: [] },
    ...{ taxes: [], taxEvidence: [], taxStatus: TaxStatus.TAX_STATUS_NONE },
    createdAt: day(date),
    updatedAt: day(date),
    ...parts,
  }) as unknown as Invoice;

const payment = (date: number) => ({
  id: `payment ${String(date)}`,
  invoiceId: 'invoice',
  amount: 2900n,
  currency: 'USD',
  provider: 'sandbox',
  status: PaymentStatus.PAYMENT_STATUS_FAILED,
  failureCode: 'card_declined',
  createdAt: day(date),
  ...{ method: 0, overpayment: 0n, amountRefunded: 0n, metadata: {} },
});

const plan = (subscription: object): Plan =>
  ({
    productName: 'Pro',
    subscription: {
      id: 'subscription',
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED,
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_ENDED,
      items: [],
      cancelReason: CancelReason.CANCEL_REASON_REQUESTED,
      ...{ startAt: day(2), currentPeriodStart: day(2), currentPeriodEnd: day(30) },
      ...{ createdAt: day(2), updatedAt: day(2) },
      ...subscription,
    },
  }) as unknown as Plan;

const change = (date: number, environmentTime?: Date): AuditEntry =>
  ({
    id: `change ${String(date)}`,
    at: day(date),
    environmentTime,
    actor: { type: AuditActorType.AUDIT_ACTOR_TYPE_OPERATOR, id: 'operator', email: 'o@b.co' },
    ...{ address: '', userAgent: '', action: 'PATCH /v1/customers/:id', path: '', requestId: '' },
    ...{ changes: [], status: 200 },
  }) as unknown as AuditEntry;

const webhook = (messageId: string, date: number) => ({
  messageId,
  type: 'subscription.renewed',
  subscriptionId: 'subscription',
  occurredAt: day(date),
  deliveries: [
    {
      endpointId: 'endpoint',
      status: WebhookDeliveryStatus.WEBHOOK_DELIVERY_STATUS_DELIVERED,
    },
  ],
});

const entry = (date: number): BalanceEntry =>
  ({
    id: `entry ${String(date)}`,
    kind: BalanceEntryKind.BALANCE_ENTRY_KIND_ADJUSTMENT,
    currency: 'USD',
    ...{ amount: 500n, balanceAfter: 500n, sequence: 1n, createdAt: day(date) },
  }) as unknown as BalanceEntry;

const idsOf = (parts: Partial<CustomerHistory>) => {
  const { data, isMore } = activityOf({ ...history, ...parts });
  return [data.map(({ id }) => id), isMore];
};

test('the events of all sources are merged, newest first, down to the creation of the customer', () => {
  const parts = {
    invoices: { items: [invoice(3, { payments: [payment(6)] as never })], isCut: false },
    balanceEntries: { items: [entry(4)], isCut: false },
    // An environment's clock may be elsewhere than real time.
    changes: { items: [change(20, day(2))], isCut: false },
    webhooks: [{ items: [webhook('message', 5)], isCut: false }],
  };
  expect(idsOf(parts)).toEqual([
    ['payment 6', 'message', 'entry 4', 'invoice 3', 'change 20', 'customer'],
    false,
  ]);
  const [paid, sent] = activityOf({ ...history, ...parts }).data;
  expect(paid).toMatchObject({ kind: 'PAYMENT', status: 'FAILED', failureCode: 'card_declined' });
  expect(sent).toMatchObject({ deliveries: [{ endpointId: 'endpoint', status: 'DELIVERED' }] });
});

test.each<[string, object, string[]]>([
  ['after a trial', { trialEnd: day(9), endedAt: day(20) }, ['ENDED', 'TRIAL_ENDED', 'CREATED']],
  ['within the trial', { trialEnd: day(9), endedAt: day(5) }, ['ENDED', 'CREATED']],
  ['at once', { canceledAt: day(5), endedAt: day(5) }, ['ENDED', 'CREATED']],
  [
    'at the end of the period',
    { canceledAt: day(5), endedAt: day(8) },
    ['ENDED', 'CANCELLATION_REQUESTED', 'CREATED'],
  ],
])('a subscription that ended %s has its steps', (_when, subscription, steps) => {
  const { data } = activityOf({ ...history, plans: [plan(subscription)] });
  const shown = data.flatMap((event) => (event.kind === 'SUBSCRIPTION' ? [event.step] : []));
  expect(shown).toEqual(steps);
});

test('credit notes, refunds, disputes, changes of the plan and pauses are events', () => {
  const money = { invoiceId: 'invoice 3', customerId: 'c', amount: 500n, currency: 'USD' };
  const note = {
    ...{ ...money, id: 'note', number: 'CN-000001', total: 500n, lines: [], refunds: [] },
    ...{ subtotal: 0n, tax: 0n, reduced: 0n, toBalance: 0n, refunded: 500n, external: 0n },
    ...{ unsettled: 0n, taxes: [], taxEvidence: [], reason: 1 },
    ...{ issuedAt: day(5), updatedAt: day(5) },
  } as unknown as CreditNote;
  const refund = {
    ...{ ...money, id: 'refund', creditNoteId: 'note', paymentId: 'p', provider: 'sandbox' },
    ...{ status: RefundStatus.REFUND_STATUS_SUCCEEDED, attempt: 1, replacedBy: 0 },
    ...{ createdAt: day(5), settledAt: day(6) },
  } as unknown as Refund;
  const dispute = {
    ...{ ...money, id: 'dispute', paymentId: 'p', provider: 'sandbox', reason: 'fraudulent' },
    ...{ status: DisputeStatus.DISPUTE_STATUS_WON, openedAt: day(7), closedAt: day(9) },
  } as unknown as Dispute;
  const side = { items: [], currentPeriodStart: day(2), currentPeriodEnd: day(30) };
  const changed = (id: string, kind: ChangeKind, status: ChangeStatus) =>
    ({
      ...{ id, subscriptionId: 'subscription', kind, status, at: 1, proration: 1, collect: 1 },
      ...{ from: side, to: side, monthlyAmountBefore: 0n, monthlyAmountAfter: 0n },
      ...{ creditNoteIds: [], effectiveAt: day(8), createdAt: day(4), updatedAt: day(8) },
    }) as unknown as SubscriptionChange;
  const { CHANGE_STATUS_APPLIED: applied, CHANGE_STATUS_CANCELED: canceled } = ChangeStatus;
  const changes = [
    changed('pause', ChangeKind.CHANGE_KIND_PAUSE, applied),
    changed('taken back', ChangeKind.CHANGE_KIND_UPDATE, canceled),
  ];
  const { data } = activityOf({
    ...history,
    plans: [plan({})],
    invoices: { items: [invoice(3)], isCut: false },
    balanceEntries: {
      items: [{ ...entry(5), invoiceId: 'invoice 3', creditNoteId: 'note' }],
      isCut: false,
    },
    creditNotes: { items: [note], isCut: false },
    refunds: { items: [refund], isCut: false },
    disputes: { items: [dispute], isCut: false },
    planChanges: [{ items: changes, isCut: false }],
  });
  const numbers = { invoice: 'INV-3', creditNote: 'CN-000001' };
  expect(data.slice(0, 6)).toMatchObject([
    { kind: 'DISPUTE', step: 'CLOSED', at: '2026-01-09T00:00:00.000Z' },
    { kind: 'PLAN_CHANGE', change: 'PAUSE', productName: 'Pro' },
    { kind: 'DISPUTE', step: 'OPENED' },
    { kind: 'REFUND', at: '2026-01-06T00:00:00.000Z', numbers },
    { kind: 'CREDIT_NOTE', number: 'CN-000001', invoiceNumber: 'INV-3' },
    { kind: 'BALANCE', numbers },
  ]);
  expect(data.map(({ id }) => id)).not.toContain('taken back');
});

test('an activity ends where one of its sources is cut, so that it has no holes', () => {
  const invoices = { items: [invoice(8), invoice(7)], isCut: true };
  const changes = { items: [change(9), change(6)], isCut: true };
  const balanceEntries = { items: [entry(8)], isCut: false };
  const sooner = { items: [change(9)], isCut: true };
  expect(idsOf({ invoices, changes: sooner, balanceEntries })).toEqual([['change 9'], true]);
  expect(idsOf({ invoices, changes, balanceEntries })).toEqual([
    ['change 9', 'invoice 8', 'entry 8', 'invoice 7'],
    true,
  ]);
  const webhooks = [{ items: [webhook('renewed', 8), webhook('created', 7)], isCut: true }];
  const paid = { items: [invoice(9), invoice(6)], isCut: false };
  expect(idsOf({ invoices: paid, webhooks })).toEqual([['invoice 9', 'renewed', 'created'], true]);
});

test('an activity is not whole if subscriptions were not read', () => {
  expect(idsOf({ isPartial: true })).toEqual([['customer'], true]);
});

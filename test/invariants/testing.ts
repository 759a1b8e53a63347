import type { InvoiceDocument } from './documents';
import { mail } from './mail/testing';
import type {
  BalanceEntryPicture,
  BalancePicture,
  ChangePicture,
  ClosedCreditsPicture,
  CreditNotePicture,
  DeliveryPicture,
  EndpointPicture,
  EventPicture,
  FeedEntryPicture,
  FeedPicture,
  GrantPicture,
  InvoicePicture,
  LinePicture,
  MeterPicture,
  MeterPricePicture,
  PaymentPicture,
  Picture,
  RefundPicture,
  SessionPicture,
  SubscriptionPicture,
  UsageEventPicture,
  UsageStatePicture,
} from './picture/picture';

const environmentId = 'environment-1';
const organizationId = 'organization-1';
const january = '2026-01-31T00:00:00.000Z';
const february = '2026-02-28T00:00:00.000Z';
export const march = '2026-03-31T00:00:00.000Z';

export const line: LinePicture = {
  id: 'line-1',
  ...{ amount: 3, discountAmount: 1, pricedAmount: 3, taxAmount: 0, total: 2 },
  meterId: 'meter-1',
  quantity: '2.5',
  periodStart: january,
  periodEnd: february,
  details: {
    exactAmount: '2.5',
    tiers: [{ amount: '2' }, { amount: '0.5' }],
    creditsUsed: [{ grantId: 'grant-1', quantity: '1.5' }],
  },
};

export const recurringLine: LinePicture = {
  ...line,
  kind: 'RECURRING',
  ...{ meterId: null, quantity: '1', details: null },
};

export const meterPrice: MeterPricePicture = {
  productId: 'product-1',
  meterId: 'meter-1',
  minimumAmount: 1,
  maximumAmount: 3,
  createdAt: january,
};

/** Billed half by each of both invoices. */
export const usageEvent: UsageEventPicture = {
  id: 'event-1',
  eventId: 'sent-1',
  customerId: 'customer-1',
  meterId: 'meter-1',
  quantity: '5',
  timestamp: '2026-02-10T00:00:00.000Z',
  receivedAt: '2026-02-10T00:00:00.000Z',
};

export const usageState: UsageStatePicture = {
  customerId: 'customer-1',
  meterId: 'meter-1',
  periodStart: '2026-02-01T00:00:00.000Z',
  periodEnd: '2026-03-01T00:00:00.000Z',
  usage: '5',
};

export const meter: MeterPicture = { id: 'meter-1', aggregation: 'SUM' };

/** Both invoices burn of it. */
export const grant: GrantPicture = {
  id: 'grant-1',
  customerId: 'customer-1',
  meterId: 'meter-1',
  amount: '5.5',
  consumed: '3',
  remaining: '2.5',
};

/** A grant that expired with a unit left. */
export const closedGrant: GrantPicture = {
  id: 'grant-0',
  customerId: 'customer-1',
  meterId: 'meter-1',
  amount: '3',
  consumed: '2',
  remaining: '1',
};

export const closedCredits: ClosedCreditsPicture = {
  customerId: 'customer-1',
  meterId: 'meter-1',
  openGrantIds: ['grant-1'],
  count: 1,
  granted: '3',
  consumed: '2',
  expired: '1',
};

export const balance: BalancePicture = { customerId: 'customer-1', currency: 'EUR', balance: 5 };

/** An adjustment, and what an invoice took and got returned when it was voided. */
export const balanceEntries: readonly BalanceEntryPicture[] = [
  { kind: 'ADJUSTMENT', amount: 5, balanceAfter: 5, invoiceId: null },
  { kind: 'APPLIED', amount: -2, balanceAfter: 3, invoiceId: 'invoice-0' },
  { kind: 'RETURNED', amount: 2, balanceAfter: 5, invoiceId: 'invoice-0' },
].map((entry, index) => ({
  ...entry,
  id: `entry-${String(index + 1)}`,
  customerId: 'customer-1',
  currency: 'EUR',
  creditNoteId: null,
  sequence: index + 1,
}));

export const payment: PaymentPicture = {
  id: 'payment-1',
  amount: 2,
  overpayment: 0,
  amountRefunded: 0,
  provider: 'sandbox',
  status: 'SUCCEEDED',
  providerPaymentId: 'charge-1',
};

export const refund: RefundPicture = {
  id: 'refund-1',
  creditNoteId: 'note-1',
  paymentId: 'payment-1',
  amount: 1,
  status: 'SUCCEEDED',
  providerRefundId: 'provider-refund-1',
  createdAt: february,
};

/** A note that refunds half of the first invoice. */
export const creditNote: CreditNotePicture = {
  id: 'note-1',
  invoiceId: 'invoice-1',
  number: 'CN-000001',
  ...{ tax: 0, total: 1, reduced: 0, toBalance: 0, refunded: 1, external: 0, unsettled: 0 },
  lines: [{ lineItemId: 'line-1', taxAmount: 0, total: 1 }],
  refunds: [refund],
};

/** A note of an amount that the seller returns in another way. */
export function aCreditNote(total: number): CreditNotePicture {
  const lines = [{ lineItemId: 'line-1', taxAmount: 0, total }];
  return { ...creditNote, total, external: total, refunded: 0, lines, refunds: [] };
}

export function anInvoice(changes: Partial<InvoicePicture> = {}): InvoicePicture {
  return {
    id: 'invoice-1',
    organizationId,
    customerId: 'customer-1',
    subscriptionId: 'subscription-1',
    number: 'INV-000001',
    status: 'PAID',
    billingReason: 'CHECKOUT',
    subtotal: 3,
    discountAmount: 1,
    tax: 0,
    total: 2,
    amountPaid: 2,
    amountDue: 0,
    balanceApplied: 0,
    amountReduced: 0,
    amountCredited: 1,
    creditNoteIds: ['note-1'],
    paidAt: january,
    createdAt: january,
    periodStart: january,
    periodEnd: february,
    discounts: [{ amount: 1 }],
    taxes: [],
    lineItems: [line],
    payments: [{ ...payment, amountRefunded: 1 }],
    ...changes,
  };
}

export const secondInvoice = anInvoice({
  id: 'invoice-2',
  number: 'INV-000002',
  status: 'OPEN',
  billingReason: 'SUBSCRIPTION_CYCLE',
  amountPaid: 0,
  amountDue: 2,
  amountCredited: 0,
  creditNoteIds: [],
  paidAt: null,
  createdAt: february,
  periodStart: february,
  periodEnd: march,
  payments: [{ ...payment, id: 'payment-2', status: 'FAILED', providerPaymentId: null }],
});

function itemsOf(quantity: number) {
  return [{ productId: 'product-1', priceId: 'price-1', quantity }];
}

/** An applied change from one unit to two, without an invoice. */
export function aChange(changes: Partial<ChangePicture>): ChangePicture {
  return {
    id: 'change-1',
    subscriptionId: 'subscription-1',
    ...{ kind: 'UPDATE', status: 'APPLIED' },
    collect: 'NOW',
    from: { items: itemsOf(1), discountId: 'discount-1' },
    to: { items: itemsOf(2), discountId: 'discount-1' },
    invoiceId: null,
    effectiveAt: february,
    createdAt: february,
    ...changes,
  };
}

export function aSubscription(changes: Partial<SubscriptionPicture> = {}): SubscriptionPicture {
  return {
    id: 'subscription-1',
    organizationId,
    customerId: 'customer-1',
    productId: 'product-1',
    items: itemsOf(2),
    status: 'ACTIVE',
    phase: 'REGULAR',
    startAt: january,
    trialEnd: null,
    currentPeriodStart: february,
    currentPeriodEnd: march,
    cancelAtPeriodEnd: false,
    endedAt: null,
    discountId: 'discount-1',
    createdAt: january,
    price: { billingInterval: 'MONTHLY', intervalCount: 1 },
    ...changes,
  };
}

export function anEvent(sequence: number, changes: Partial<EventPicture> = {}): EventPicture {
  return {
    service: 'subscription',
    id: `subscription-1:${String(sequence)}`,
    position: String(sequence),
    insertedAt: new Date('2026-01-31T00:00:01Z'),
    environmentId,
    organizationId,
    aggregateId: 'subscription-1',
    sequence,
    customerIds: [],
    type: sequence === 1 ? 'subscription.created' : 'subscription.renewed',
    subscription: aSubscription(),
    ...changes,
  };
}

export function aWebhook(
  sequence: number,
  changes: { id?: string; note?: string; type?: string } = {},
) {
  const { id = `message-${String(sequence)}`, note, type = anEvent(sequence).type } = changes;
  const data = { subscriptionId: 'subscription-1', note };
  return aWebhookOf({ id, type, sequence, ...data, data });
}

/** A webhook with a body of its own. */
export function aWebhookOf(body: { readonly id: string; readonly [field: string]: unknown }) {
  return { headers: { 'webhook-id': body.id }, text: JSON.stringify(body) };
}

/** The delivery of an event of the first subscription. */
export function aDelivery(
  sequence: number,
  changes: Partial<DeliveryPicture> = {},
): DeliveryPicture {
  return {
    id: `delivery-${String(sequence)}`,
    messageId: `message-${String(sequence)}`,
    type: anEvent(sequence).type,
    subjectId: 'subscription-1',
    sequence,
    status: 'DELIVERED',
    attempts: [{ responseStatus: 500 }, { responseStatus: 204 }],
    ...changes,
  };
}

export function anEndpoint(
  received: EndpointPicture['received'],
  deliveries: EndpointPicture['deliveries'] = [aDelivery(1), aDelivery(2)],
): EndpointPicture {
  return {
    id: 'endpoint-1',
    url: 'http://127.0.0.1/hook',
    events: ['subscription.created', 'subscription.renewed'],
    active: true,
    updatedAt: '2026-01-30T00:00:00.000Z',
    received,
    deliveries,
  };
}

export const session: SessionPicture = {
  id: 'session-1',
  customerId: 'customer-1',
  isPersonal: true,
  status: 'COMPLETE',
  discountId: 'discount-1',
  invoiceId: 'invoice-1',
  subscriptionId: 'subscription-1',
  isOneTime: false,
  hasRedemption: true,
  isChanging: false,
};

export const write = {
  path: '/customers/1',
  id: '1',
  wasDeleted: false,
  readStatus: 200,
  readId: '1',
};
export const discount = {
  id: 'discount-1',
  organizationId,
  maxRedemptions: 1,
  redemptionCount: 1,
};

/** A customer whose creation is exported. */
export const aCustomer = { id: 'customer-1', name: 'Acme' };

/** A finalized invoice in the form of the API. */
export const invoiceDocument: InvoiceDocument = {
  id: 'invoice-1',
  finalizedAt: january,
  total: 1,
  seller: { legalName: 'Acme Ltd' },
  lineItems: [{ description: 'Monthly' }],
};

const issued = { status: 'OPEN', amountDue: 2, amountPaid: 0, balanceApplied: 0 };

/** Events of invoices: the first one is created and paid, the second one is created. */
const invoiceEvents = [
  {
    ...{ id: 'created-1', sequence: 1, type: 'invoice.created' },
    data: { charging: true, invoice: { ...invoiceDocument, ...issued } },
  },
  {
    ...{ id: 'paid-1', sequence: 2, type: 'invoice.paid' },
    data: { invoice: { ...invoiceDocument, ...issued, status: 'PAID', amountPaid: 2 } },
  },
  {
    ...{ id: 'created-2', sequence: 1, type: 'invoice.created' },
    data: { charging: false, invoice: { ...invoiceDocument, ...issued, id: 'invoice-2' } },
  },
].map(({ data, ...head }) => ({
  ...{ ...head, restoreCode: null, timestamp: january },
  data: { ...data, customerId: 'customer-1' },
}));

/** The events of a subscription and of invoices in the feed. */
export const feed: FeedPicture = {
  entries: [
    ...[1, 2].map((sequence) => ({
      position: sequence,
      subject: { type: 'subscription', id: 'subscription-1' },
      event: JSON.parse(aWebhook(sequence).text) as FeedEntryPicture['event'],
    })),
    ...invoiceEvents.map((event, index) => ({
      position: 3 + index,
      subject: { type: 'invoice', id: event.data.invoice.id },
      event: event,
    })),
  ],
  oldest: 1,
  newest: 5,
};

const exported = [
  { resource: 'customers', rows: [aCustomer] },
  { resource: 'invoices', rows: [invoiceDocument] },
] as const;

/** A valid environment in which every invariant has something to check. */
export const whole: Picture = {
  environmentId,
  organizationId,
  now: new Date('2026-03-01T00:00:00Z'),
  takenAt: new Date('2026-03-01T00:00:00Z'),
  isManual: true,
  subscriptions: [aSubscription()],
  invoices: [anInvoice(), secondInvoice],
  balances: [balance],
  balanceEntries,
  creditNotes: [creditNote],
  refunds: [refund],
  discounts: [discount],
  changes: [aChange({})],
  reserved: [{ invoiceId: 'invoice-1', isReserved: false, left: 1 }],
  meterPrices: [meterPrice],
  meters: [meter],
  usageEvents: [usageEvent],
  usageStates: [usageState],
  grants: [grant, closedGrant],
  closedCredits: [closedCredits],
  storedUsage: { compared: 3, mismatches: [], searchedEvents: 1, uncounted: [] },
  endpoints: [anEndpoint([aWebhook(1), aWebhook(2), aWebhook(2)])],
  feed,
  mail,
  exports: exported.map((one) => ({ ...one, position: feed.newest, present: one.rows })),
  sessions: [session],
  events: [anEvent(1), anEvent(2)],
  erasedCustomers: [
    { id: 'erased-1', erasedAt: new Date('2026-01-20T00:00:00Z') },
    { id: 'erased-2', erasedAt: new Date('2026-02-28T00:00:00Z') },
  ],
  areEventsWhole: true,
  pending: { checkout: 0 },
  acknowledged: [write, { ...write, path: '/customers/2', wasDeleted: true, readStatus: 404 }],
  acknowledgedEvents: [usageEvent.eventId],
  foreignReads: [{ path: '/customers/1', status: 404 }],
  foreignIds: new Set(['elsewhere']),
};

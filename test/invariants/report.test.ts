import type {
  ClosedCreditsPicture,
  InvoicePicture,
  MeterPricePicture,
  Picture,
  SessionPicture,
  StoredUsagePicture,
  SubscriptionPicture,
} from './picture/picture';
import { examineAll, findingsOf, invariants, toTable } from './report';
import {
  aChange,
  anEndpoint,
  anEvent,
  anInvoice,
  aSubscription,
  aWebhook,
  aWebhookOf,
  balance,
  closedCredits,
  closedGrant,
  creditNote,
  discount,
  grant,
  line,
  march,
  meter,
  meterPrice,
  payment,
  refund,
  secondInvoice,
  session,
  usageEvent,
  usageState,
  whole,
  write,
} from './testing';
import { changeViolations } from './violations/change-violations';
import { creditViolations } from './violations/credit-violations';
import { deliveryViolations } from './violations/delivery-violations';
import { documentViolations } from './violations/document-violations';
import { erasureViolations } from './violations/erasure-violations';
import { exportViolations } from './violations/export-violations';
import { feedViolations } from './violations/feed-violations';
import { mailViolations } from './violations/mail-violations';
import { entries, first, invoices, paymentViolations } from './violations/payment-violations';
import { taxViolations } from './violations/tax-violations';

const subscription = (changes: Partial<SubscriptionPicture>): Partial<Picture> => ({
  subscriptions: [aSubscription(changes)],
});
const sessions = (changes: Partial<SessionPicture>): Partial<Picture> => ({
  sessions: [{ ...session, ...changes }],
});
const received = (...all: ReturnType<typeof aWebhook>[]): Partial<Picture> => ({
  endpoints: [anEndpoint(all)],
});

const head = {
  id: 'message-1',
  type: 'subscription.created',
  sequence: 1,
  subscriptionId: 'subscription-1',
};

const closed = (changes: Partial<ClosedCreditsPicture>): Partial<Picture> => ({
  closedCredits: [{ ...closedCredits, ...changes }],
});

/** The event is stored in two months. */
const twice: Partial<Picture> = { usageEvents: [usageEvent, { ...usageEvent, id: 'x' }] };

const storedUsage = (changes: Partial<StoredUsagePicture>): Partial<Picture> => ({
  storedUsage: { compared: 3, mismatches: [], searchedEvents: 1, uncounted: [], ...changes },
});

const details = line.details ?? { exactAmount: '0', tiers: [], creditsUsed: [] };
/** Builds a line of 3 units with tiers of these amounts. */
const held = (
  { exactAmount, tiers }: { exactAmount: string; tiers: string[] },
  meterPrices: MeterPricePicture[],
): Partial<Picture> => {
  const ofTiers = tiers.map((amount) => ({ amount }));
  const lineItems = [{ ...line, details: { ...details, exactAmount, tiers: ofTiers } }];
  return { ...first({ lineItems }), meterPrices };
};

/** A picture in which no invoice bills usage, by a price that existed before. */
const unbilled: Partial<Picture> = {
  invoices: [anInvoice(), secondInvoice].map((invoice) => ({
    ...invoice,
    lineItems: [{ ...line, meterId: null, details: null }],
  })),
  meterPrices: [{ ...meterPrice, createdAt: '2026-01-01T00:00:00.000Z' }],
};

const redeemed = (changes: Partial<typeof discount>): Partial<Picture> => ({
  discounts: [{ ...discount, ...changes }],
});
const side = (discountId: string | null) => ({ ...aChange({}).to, discountId });

const violations: [id: string, what: string, changes: Partial<Picture>][] = [
  ...taxViolations,
  ...changeViolations,
  ...documentViolations,
  ...erasureViolations,
  ['I1', 'a subtotal that is not the sum of the lines', first({ subtotal: 4, total: 3 })],
  ['I1', 'a total that is not subtotal less discount', first({ total: 1 })],
  [
    'I1',
    'a discount without a discounted line',
    first({ lineItems: [{ ...line, discountAmount: 0 }] }),
  ],
  ['I1', 'a discount that is not listed', first({ discounts: [] })],
  ['I1', 'a tax that no line has', first({ tax: 1, total: 3 })],
  ['I1', 'a tax of another amount than its row', first({ taxes: [{ base: 2, amount: 1 }] })],
  ['I1', 'a tax on another base', first({ taxes: [{ base: 3, amount: 0 }] })],
  ['I1', 'a line with another total', first({ lineItems: [{ ...line, total: 3 }] })],
  [
    'I1',
    'a line rounded down at the half',
    first({
      subtotal: 2,
      total: 1,
      lineItems: [{ ...line, amount: 2, pricedAmount: 2, total: 1 }],
    }),
  ],
  [
    'I1',
    'tiers with a different sum',
    first({
      lineItems: [{ ...line, details: { ...details, tiers: [{ amount: '2' }] } }],
    }),
  ],
  ['I1', 'a fraction where a price has bounds', held({ exactAmount: '2.5', tiers: ['2'] }, [])],
  [
    'I1',
    'a minimum although more was used',
    held({ exactAmount: '3', tiers: ['4'] }, [
      { ...meterPrice, minimumAmount: 3, maximumAmount: null },
    ]),
  ],
  [
    'I1',
    'a line between minimum and maximum that differs from its tiers',
    held({ exactAmount: '3', tiers: ['2'] }, [{ ...meterPrice, maximumAmount: 4 }]),
  ],
  ['I2', 'a period without an invoice', invoices(anInvoice())],
  [
    'I2',
    'a period with two invoices',
    invoices(anInvoice(), secondInvoice, {
      ...secondInvoice,
      id: 'x',
      number: 'INV-000003',
    }),
  ],
  ['I2', 'an invoice where no period starts', first({ periodStart: '2026-01-31T00:00:00.001Z' })],
  ['I2', 'a period that has ended', { now: new Date(march) }],
  ['I3', 'more redemptions than the maximum', redeemed({ maxRedemptions: 0 })],
  ['I3', 'an unassigned redemption', redeemed({ maxRedemptions: 2, redemptionCount: 2 })],
  [
    'I3',
    'a change without a redemption',
    {
      changes: [
        aChange({ from: { ...aChange({}).from, discountId: null }, to: side('discount-1') }),
      ],
    },
  ],
  ['I3', 'a holder without a redemption', redeemed({ maxRedemptions: 2, redemptionCount: 0 })],
  ['I4', 'an event that is stored twice', twice],
  ['I4', 'an id of two events', { usageEvents: [usageEvent, { ...usageEvent, eventId: 'x' }] }],
  ['I4', 'usage that is billed twice', { usageEvents: [{ ...usageEvent, quantity: '2.5' }] }],
  ['I4', 'usage that is billed in part', { usageEvents: [{ ...usageEvent, quantity: '5.1' }] }],
  ['I4', 'unbilled usage', unbilled],
  ['I4', 'a wrong count', { meters: [{ ...meter, aggregation: 'COUNT' }] }],
  ['I5', 'credits that vanished', { grants: [closedGrant, { ...grant, remaining: '2.4' }] }],
  [
    'I5',
    'more burned than was granted',
    { grants: [closedGrant, { ...grant, consumed: '6', remaining: '-0.5' }] },
  ],
  [
    'I5',
    'credits that were given back',
    { grants: [closedGrant, { ...grant, consumed: '-1', remaining: '6.5' }] },
  ],
  [
    'I5',
    'credits that two invoices burned',
    { grants: [closedGrant, { ...grant, amount: '2', consumed: '1.5', remaining: '0.5' }] },
  ],
  ['I25', 'a state that lacks usage', { usageStates: [{ ...usageState, usage: '4' }] }],
  [
    'I25',
    'a state with usage after its period',
    { usageStates: [{ ...usageState, periodEnd: usageEvent.timestamp }] },
  ],
  ['I26', 'an hour with events in no total', storedUsage({ uncounted: ['hour'] })],
  ['I27', 'a stored hour or span that differs', storedUsage({ mismatches: ['hour'] })],
  ['I28', 'an acknowledged event that two months have', twice],
  ['I28', 'an acknowledged event that is gone', { acknowledgedEvents: ['sent-1', 'sent-2'] }],
  ['I29', 'a closed grant without its sums', closed({ count: 0 })],
  ['I29', 'sums of a closed grant that is gone', { grants: [grant] }],
  ['I29', 'a grant that is open and in the sums', closed({ openGrantIds: ['grant-0', 'grant-1'] })],
  ['I29', 'a wrong sum of units granted', closed({ granted: '4', expired: '2' })],
  ['I29', 'a wrong sum of units consumed', closed({ granted: '4', consumed: '3' })],
  [
    'I20',
    'a balance that is not the sum of its entries',
    { balances: [{ ...balance, balance: 4 }] },
  ],
  ['I20', 'a balance without entries', { balanceEntries: [] }],
  ['I20', 'entries without a balance', { balances: [] }],
  ['I20', 'a gap in the sequence of entries', entries({ sequence: 4 })],
  ['I20', 'an entry with a wrong sum', entries({ balanceAfter: 6 })],
  ['I20', 'an entry that occurs twice', entries({ id: 'entry-1' })],
  ['I20', 'an invoice that holds what it did not take', first({ balanceApplied: 1 })],
  ['I20', 'an entry that its invoice does not hold', entries({ invoiceId: 'invoice-2' })],
  ...paymentViolations,
  ...creditViolations,
  ...[...exportViolations, ...mailViolations],
  ['I6', 'PAID without a charge', first({ payments: [], amountPaid: 0 })],
  ['I6', 'a charge of an invoice that is not PAID', first({ status: 'OPEN', paidAt: null })],
  [
    'I6',
    'two successful charges',
    first({
      payments: [payment, { ...payment, id: 'p', providerPaymentId: 'c' }],
      amountPaid: 4,
    }),
  ],
  ['I6', 'a charge of another amount', first({ payments: [{ ...payment, amount: 1 }] })],
  ['I6', 'an amount due that is not owed', first({ amountDue: 2 })],
  [
    'I63',
    'one charge on two invoices',
    invoices(anInvoice(), {
      ...secondInvoice,
      payments: [{ ...payment, id: 'payment-2', status: 'FAILED' }],
    }),
  ],
  ['I7', 'a session that is COMPLETE and unpaid', invoices(secondInvoice)],
  ['I7', 'a session that is OPEN and paid', sessions({ status: 'OPEN', subscriptionId: null })],
  ['I7', 'a session that is paid without a subscription', sessions({ subscriptionId: null })],
  ['I7', 'a ONE_TIME session with a subscription', sessions({ isOneTime: true })],
  ['I7', 'two sessions of one subscription', { sessions: [session, { ...session, id: 's2' }] }],
  ['I7', 'an invoice of a checkout without a session', { sessions: [] }],
  ['I64', 'an invoice of a lost subscription', { subscriptions: [] }],
  ['I64', 'a credit note of a lost invoice', { creditNotes: [{ ...creditNote, invoiceId: 'x' }] }],
  ['I64', 'a refund of a lost payment', { refunds: [{ ...refund, paymentId: 'x' }] }],
  ['I8', 'a missing sequence', { events: [anEvent(2)] }],
  ['I8', 'a duplicate sequence', { events: [anEvent(1), anEvent(2), anEvent(2)] }],
  ['I8', 'sequences in another order', { events: [anEvent(2), anEvent(1)] }],
  ['I8', 'a change that was not announced', subscription({ cancelAtPeriodEnd: true })],
  ['I8', 'a subscription that was not announced', { events: [] }],
  [
    'I8',
    'two messages for one event',
    received(aWebhook(1), aWebhook(2), aWebhook(2, { id: 'm' })),
  ],
  ['I9', 'an event that never arrived', received(aWebhook(1))],
  [
    'I9',
    'other bytes at the second attempt',
    received(aWebhook(1), aWebhook(2), aWebhook(2, { note: 'again' })),
  ],
  [
    'I9',
    'another kind than the logged one',
    received(aWebhook(1), aWebhook(2, { type: 'subscription.canceled' })),
  ],
  [
    'I9',
    'an event that a wildcard names and that never arrived',
    { endpoints: [{ ...anEndpoint([aWebhook(1)]), events: ['subscription.*'] }] },
  ],
  ...deliveryViolations,
  ...feedViolations,
  [
    'I81',
    'a scalar that is not repeated',
    received(aWebhookOf({ ...head, data: { subscriptionId: 'subscription-1', reason: null } })),
  ],
  [
    'I81',
    'a scalar that is repeated with another value',
    received(
      aWebhookOf({
        ...head,
        attempt: 2,
        data: { subscriptionId: 'subscription-1', attempt: 1 },
      }),
    ),
  ],
  [
    'I81',
    'an object that is repeated',
    received(
      aWebhookOf({
        ...head,
        invoice: {},
        data: { subscriptionId: 'subscription-1', invoice: {} },
      }),
    ),
  ],
  ['I9', 'a message that was never logged', received(aWebhook(1), aWebhook(2), aWebhook(3))],
  ['I10', 'a write that cannot be read', { acknowledged: [{ ...write, readStatus: 404 }] }],
  ['I10', 'an address with another resource', { acknowledged: [{ ...write, readId: '2' }] }],
  [
    'I10',
    'a deleted resource that still exists',
    { acknowledged: [{ ...write, wasDeleted: true }] },
  ],
  ['I11', 'an outbox that is never emptied', { pending: { checkout: 1 } }],
  ['I12', 'a gap in the numbers', first({ number: 'INV-000003' })],
  ['I12', 'a duplicate number', first({ number: 'INV-000002' })],
  ['I12', 'an invoice without a number', first({ number: null, status: 'DRAFT' })],
  [
    'I13',
    'a stranger that gets a response',
    { foreignReads: [{ path: '/customers/1', status: 200 }] },
  ],
  ['I13', 'a stranger whose list contains the invoice', { foreignIds: new Set(['invoice-1']) }],
  [
    'I13',
    'an event of another environment',
    { events: [anEvent(1), anEvent(2, { environmentId: 'x' })] },
  ],
  ['I13', 'a webhook about another environment', { subscriptions: [], sessions: [] }],
];

test('a healthy system has no violations, and every invariant checks something', () => {
  const verdicts = examineAll(whole);
  expect(findingsOf(verdicts)).toEqual([]);
  expect(verdicts.filter(({ examined }) => examined === undefined || examined === 0)).toEqual([]);
});

test.each(violations)('%s finds %s', (id, _what, changes) => {
  const found = examineAll({ ...whole, ...changes }).filter(({ findings }) => findings.length > 0);
  expect(found.map((verdict) => verdict.id)).toContain(id);
});

test('every invariant has a violation that it finds', () => {
  const seeded = new Set(violations.map(([id]) => id));
  expect(invariants.map(({ id }) => id).filter((id) => !seeded.has(id))).toEqual([]);
});

test.each<[what: string, exactAmount: string, tiers: string[], meterPrices: MeterPricePicture[]]>([
  ['raised to its minimum', '3', ['1'], [{ ...meterPrice, minimumAmount: 3 }]],
  ['lowered to its maximum', '3', ['2', '2'], [meterPrice]],
  ['bounded by a price that was replaced since', '3', ['2'], [{ ...meterPrice, createdAt: march }]],
])('a line that was %s need not be the sum of its tiers', (_what, exactAmount, tiers, prices) => {
  const picture = { ...whole, ...held({ exactAmount, tiers }, prices) };
  expect(findingsOf(examineAll(picture))).toEqual([]);
});

test('a subscription that ended within a period may lack that period’s invoice, but no other', () => {
  const ended = {
    status: 'CANCELED',
    phase: 'ENDED',
    endedAt: '2026-03-01T00:00:00.000Z',
  } as const;
  const subscriptions = [aSubscription(ended)];
  const of = (all: InvoicePicture[]) =>
    examineAll({ ...whole, subscriptions, invoices: all }).find(({ id }) => id === 'I2')?.findings;
  expect(of([anInvoice()])).toEqual([]);
  expect(of([secondInvoice])).toHaveLength(1);
});

test.each<[what: string, events: Picture['events'], found: string[]]>([
  ['of an aggregate', [anEvent(2)], []],
  ['of all aggregates', [], []],
  ['before one that is logged twice', [anEvent(2), anEvent(2)], ['I8']],
])('old events %s may be deleted', (_what, events, found) => {
  const verdicts = examineAll({ ...whole, events, areEventsWhole: false });
  expect(verdicts.filter(({ findings }) => findings.length > 0).map(({ id }) => id)).toEqual(found);
});

test('an unreachable fact is shown as unseen', () => {
  const table = toTable(examineAll({ ...whole, events: undefined, sessions: undefined }));
  expect(table).toMatch(/^I8 +unseen +0 /m);
  expect(table).toMatch(/^I7 +unseen +0 /m);
});

test.each([
  ['more redemptions than the maximum', { maxRedemptions: 0 }, 1],
  ['subscriptions without a redemption', { redemptionCount: 0 }, 1],
  ['redemptions that unknown sessions may hold', { maxRedemptions: 2, redemptionCount: 2 }, 0],
])('without any known session, %s are checked nevertheless', (_what, changes, count) => {
  const discounts = [{ ...discount, ...changes }];
  const verdicts = examineAll({ ...whole, discounts, events: undefined, sessions: undefined });
  expect(verdicts.find(({ id }) => id === 'I3')).toMatchObject({ examined: 1 });
  expect(findingsOf(verdicts)).toHaveLength(count);
});

test('the table shows every violation', () => {
  const table = toTable(examineAll({ ...whole, pending: { checkout: 2 } }));
  expect(table).toMatch(/^I11 +1 +1 /m);
  expect(table).toContain('! I11 checkout: 2 documents are pending');
});

import { sentenceText } from '../../resources/audit-sentence';
import { activityLine, withCustomerName } from './activity';

type Event = Parameters<typeof activityLine>[0];

const money = { invoiceId: 'i', number: 'INV-000001', amount: 2900, currency: 'USD' };
const subscription = { kind: 'SUBSCRIPTION', subscriptionId: 's', productName: 'Pro' };
const entry = {
  ...{ amount: 500, currency: 'USD', description: 'Goodwill' },
  ...{ invoiceId: null, creditNoteId: null },
};
const card = { brand: 'visa', last4: '4242' };
const numbers = { invoice: 'INV-000001', creditNote: 'CN-000002' };
const refunded = { amount: 500, currency: 'USD', invoiceId: 'i', failureCode: null };
const change = {
  actor: { type: 'OPERATOR', id: 'o', email: 'o@b.co', name: 'Olivia' },
  action: 'POST /v1/invoices/:id/void',
  target: { type: 'invoice', id: 'i', name: 'INV-000001', currency: null },
  changes: {},
  status: 200,
};

test.each<[string, string, string, object]>([
  ['Customer created', 'CHANGES', 'plain', { kind: 'CUSTOMER_CREATED' }],
  [
    'Invoice INV-000001 for $29.00 (open)',
    'MONEY',
    'plain',
    { kind: 'INVOICE', ...money, status: 'OPEN' },
  ],
  [
    'Paid $29.00 for INV-000001',
    'MONEY',
    'good',
    { kind: 'PAYMENT', ...money, status: 'SUCCEEDED', card: null },
  ],
  [
    'Paid $29.00 for INV-000001 with Visa 4242',
    'MONEY',
    'good',
    { kind: 'PAYMENT', ...money, status: 'SUCCEEDED', card },
  ],
  [
    'Payment of $29.00 for INV-000001 with Visa 4242 failed: card declined',
    'MONEY',
    'bad',
    { kind: 'PAYMENT', ...money, status: 'FAILED', failureCode: 'card_declined', card },
  ],
  [
    'Payment of $29.00 for INV-000001 failed: card declined',
    'MONEY',
    'bad',
    { kind: 'PAYMENT', ...money, status: 'FAILED', failureCode: 'card_declined', card: null },
  ],
  ['Subscribed to Pro', 'SUBSCRIPTIONS', 'plain', { ...subscription, step: 'CREATED' }],
  ['Pro ended', 'SUBSCRIPTIONS', 'plain', { ...subscription, step: 'ENDED' }],
  [
    '$5.00 added to the balance: Goodwill',
    'MONEY',
    'plain',
    { kind: 'BALANCE', entry: { ...entry, kind: 'ADJUSTMENT' } },
  ],
  [
    '$5.00 taken from the balance: applied · Invoice',
    'MONEY',
    'plain',
    {
      kind: 'BALANCE',
      entry: { ...entry, amount: -500, description: null, invoiceId: 'i', kind: 'APPLIED' },
    },
  ],
  [
    '$5.00 added to the balance: credit note · CN-000002 · INV-000001',
    'MONEY',
    'plain',
    {
      kind: 'BALANCE',
      entry: {
        ...{ ...entry, description: null, kind: 'CREDIT_NOTE' },
        ...{ invoiceId: 'i', creditNoteId: 'n' },
      },
      numbers,
    },
  ],
  [
    'Credit note CN-000002 for $29.00 of INV-000001',
    'MONEY',
    'plain',
    {
      kind: 'CREDIT_NOTE',
      ...{ ...money, number: 'CN-000002', creditNoteId: 'n', invoiceNumber: 'INV-000001' },
    },
  ],
  [
    'Refunded $5.00 of INV-000001',
    'MONEY',
    'plain',
    { kind: 'REFUND', refund: { ...refunded, status: 'SUCCEEDED' }, numbers },
  ],
  [
    'Refund of $5.00 of INV-000001 failed: refund declined',
    'MONEY',
    'bad',
    {
      kind: 'REFUND',
      refund: { ...refunded, status: 'FAILED', failureCode: 'refund_declined' },
      numbers,
    },
  ],
  [
    '$5.00 of INV-000001 disputed: fraudulent',
    'MONEY',
    'bad',
    {
      kind: 'DISPUTE',
      step: 'OPENED',
      dispute: { ...refunded, reason: 'fraudulent', status: 'OPEN' },
      numbers,
    },
  ],
  [
    'Dispute of $5.00 of INV-000001 closed: lost',
    'MONEY',
    'bad',
    {
      kind: 'DISPUTE',
      step: 'CLOSED',
      dispute: { ...refunded, reason: 'fraudulent', status: 'LOST' },
      numbers,
    },
  ],
  [
    'The plan of Pro changed',
    'SUBSCRIPTIONS',
    'plain',
    { ...subscription, kind: 'PLAN_CHANGE', change: 'UPDATE' },
  ],
  [
    'Pro was paused',
    'SUBSCRIPTIONS',
    'plain',
    { ...subscription, kind: 'PLAN_CHANGE', change: 'PAUSE' },
  ],
  [
    'Webhook subscription.renewed: delivered, failed',
    'WEBHOOKS',
    'bad',
    {
      kind: 'WEBHOOK',
      type: 'subscription.renewed',
      deliveries: [
        { endpointId: 'a', status: 'DELIVERED' },
        { endpointId: 'b', status: 'FAILED' },
      ],
    },
  ],
  ['Olivia voided invoice INV-000001', 'CHANGES', 'plain', { kind: 'CHANGE', entry: change }],
  [
    'Olivia voided invoice INV-000001 · Failed (409)',
    'CHANGES',
    'bad',
    { kind: 'CHANGE', entry: { ...change, status: 409 } },
  ],
])('an event is told as: %s', (text, topic, tone, event) => {
  const line = activityLine({ id: 'e', at: '2026-01-01T00:00:00.000Z', ...event } as Event);
  expect([sentenceText(line.sentence), line.topic, line.tone]).toEqual([text, topic, tone]);
});

test('a sentence names the customer whose page shows it, and links to others', () => {
  const own = { text: '0190a000', href: '/customers/c' };
  const other = { text: 'INV-000001', href: '/invoices/i' };
  const sentence = ['Olivia changed the phone of customer ', own, ' and paid ', other];
  expect(withCustomerName(sentence, { id: 'c', name: 'Ada' })).toEqual([
    'Olivia changed the phone of customer ',
    'Ada',
    ' and paid ',
    other,
  ]);
});

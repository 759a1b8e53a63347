import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { subjectTypeOf, webhookEventNames } from '@billing/kernel/input/webhook-endpoint';
import { describeWebhooks } from './document';

/** The catalogue of the contract: subject, its owner, and its kinds in their order. */
const catalogue = [
  [
    ...['subscription', 'subscription'],
    ...['subscription.created', 'subscription.updated', 'subscription.canceled'],
    ...['subscription.renewed', 'subscription.payment_succeeded', 'subscription.payment_failed'],
    ...['subscription.trial_ending', 'subscription.renewal_upcoming'],
  ],
  [
    ...['invoice', 'checkout'],
    ...['invoice.created', 'invoice.payment_received', 'invoice.payment_failed'],
    ...['invoice.paid', 'invoice.voided', 'invoice.uncollectible', 'invoice.overdue'],
    ...['invoice.reminded', 'credit_note.created'],
    ...['refund.succeeded', 'refund.failed', 'refund.updated', 'dispute.opened', 'dispute.closed'],
  ],
  ['checkout_session', 'checkout', 'checkout.completed', 'checkout.expired'],
  ['customer', 'customer', 'customer.created', 'customer.updated', 'customer.deleted'],
  [
    ...['payer', 'checkout'],
    ...['payment_method.added', 'payment_method.updated', 'payment_method.removed'],
    'payment_method.expiring',
  ],
  ['product', 'catalog', 'product.created', 'product.updated'],
  ['meter_price_set', 'catalog', 'meter_prices.replaced'],
  ['discount', 'discount', 'discount.created', 'discount.updated'],
  ['checkout_link', 'checkout', 'checkout_link.created', 'checkout_link.updated'],
  ['meter', 'metering', 'meter.created', 'meter.updated', 'meter.deleted'],
  ['email', 'notifier', 'email.failed', 'email.bounced'],
  ['environment', 'notifier', 'environment.restored'],
] as const;

interface Row {
  readonly kind: string;
  readonly subject: string;
  readonly owner: string;
}

const rows = catalogue.flatMap(([subject, owner, ...kinds]) =>
  kinds.map((kind): Row => ({ kind, subject, owner })),
);
const kinds = rows.map(({ kind }) => kind).toSorted();

interface ExampleEvent {
  readonly type: string;
  readonly source: string;
  readonly sequence: number;
}

function exampleEvents(): ExampleEvent[] {
  const folder = dirname(require.resolve('@billing/proto/examples/subscription-created.json'));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ExampleEvent);
}

test('endpoints may name exactly the kinds of the catalogue, and their resources', () => {
  const resources = rows.map(({ kind }) => `${kind.slice(0, kind.indexOf('.'))}.*`);
  expect([...webhookEventNames].sort()).toEqual(['*', ...new Set(resources), ...kinds].toSorted());
});

test('the AsyncAPI document describes exactly the kinds of the catalogue', () => {
  const described = Object.keys(describeWebhooks().components.messages);
  expect(described.filter((type) => type !== 'webhook_endpoint.test').sort()).toEqual(kinds);
});

test('each kind has an example event of its owner', () => {
  const owners = new Map(exampleEvents().map(({ type, source }) => [type, source]));
  expect([...owners].sort()).toEqual(
    rows.map(({ kind, owner }) => [`billing.${kind}`, `/billing/${owner}`]).toSorted(),
  );
});

test.each(rows)('$kind is numbered by its $subject', ({ kind, subject }) => {
  expect(subjectTypeOf(kind)).toBe(subject);
});

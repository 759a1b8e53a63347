import { WebhookDeliveryStatus } from '../gen/billing/notifier/v1/webhook_delivery';
import { toJsonWebhookDelivery, toJsonWebhookGap } from './webhook-delivery';

const delivery = {
  id: 'delivery',
  messageId: 'message',
  subscriptionId: 'subject',
  sequence: 1,
  status: WebhookDeliveryStatus.WEBHOOK_DELIVERY_STATUS_DELIVERED,
  attempts: [],
  nextAttemptAt: undefined,
  createdAt: new Date('2026-01-17T00:00:00.000Z'),
};

test.each([
  ['subscription.renewed', 'subscription'],
  ['checkout.expired', 'checkout_session'],
])('a delivery of %s names its subject of the type %s', (type, subjectType) => {
  expect(toJsonWebhookDelivery({ ...delivery, type })).toMatchObject({
    subscriptionId: 'subject',
    subjectType,
    subjectId: 'subject',
  });
});

test('a delivery of a test has no subject', () => {
  const ofTest = { ...delivery, type: 'webhook_endpoint.test', subscriptionId: undefined };
  expect(toJsonWebhookDelivery(ofTest)).toMatchObject({
    subscriptionId: null,
    subjectType: null,
    subjectId: null,
  });
});

test.each([
  ['subscriptionId', { subscriptionId: 'subject', subjectType: 'subscription' }],
  [
    'checkoutSessionId',
    { subscriptionId: null, checkoutSessionId: 'subject', subjectType: 'checkout_session' },
  ],
] as const)('a gap of the source %s names its subject', ($case, expected) => {
  expect(toJsonWebhookGap({ source: { $case, value: 'subject' }, sequences: [2] })).toEqual({
    ...expected,
    subjectId: 'subject',
    missing: [2],
  });
});

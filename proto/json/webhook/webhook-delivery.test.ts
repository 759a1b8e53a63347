import { WebhookDeliveryStatus } from '../../gen/billing/notifier/v1/webhook_delivery';
import { toJsonWebhookDelivery, toJsonWebhookGap } from './webhook-delivery';

const delivery = {
  id: 'delivery',
  messageId: 'message',
  subscriptionId: undefined,
  subjectType: undefined,
  subjectId: undefined,
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
  const shown = { ...delivery, type, subjectType, subjectId: 'subject' };
  expect(toJsonWebhookDelivery(shown)).toMatchObject({
    subscriptionId: 'subject',
    subjectType,
    subjectId: 'subject',
  });
});

test('a delivery of a test has no subject', () => {
  const ofTest = { ...delivery, type: 'webhook_endpoint.test' };
  expect(toJsonWebhookDelivery(ofTest)).toMatchObject({
    subscriptionId: null,
    subjectType: null,
    subjectId: null,
  });
});

test.each([
  ['subscription', null],
  ['checkout_session', 'subject'],
  ['product', null],
] as const)('a gap of a %s names its subject', (subjectType, checkoutSessionId) => {
  const gap = { source: undefined, subjectType, subjectId: 'subject', sequences: [2] };
  expect(toJsonWebhookGap(gap)).toEqual({
    ...{ subscriptionId: 'subject', checkoutSessionId },
    ...{ subjectType, subjectId: 'subject' },
    missing: [2],
  });
});

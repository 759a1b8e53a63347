import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnreadableMessageError } from '@billing/chassis/jet-stream';
import type { WebhookData } from '@billing/proto/json/webhook/webhook';
import { readEvent, readKey, type ReadableEvent, toBody, webhookSubjects } from './events';
import { messageId, messageIdsAt } from './message-store';

const examples = join(__dirname, '../../../../proto/examples');

function example(name: string): string {
  return readFileSync(join(examples, `${name}.json`), 'utf8');
}

function readExample(name: string): ReadableEvent {
  const event = readEvent(example(name));
  if (event?.data === undefined) throw new Error(`${name} is no webhook's event`);
  return { ...event, data: event.data };
}

function bodyOf(name: string) {
  return JSON.parse(toBody(readExample(name), 'the id'));
}

const always = ['subscriptionId', 'customerId', 'status', 'subscription'];

describe('an event after a restore', () => {
  const codes = 'WH5C2:1';

  test('names the restore in its body', () => {
    const event = { ...readExample('environment-restored') };
    expect(event.restoreCodes).toBe(codes);
    expect(JSON.parse(toBody(event, 'the id'))).toEqual({
      id: 'the id',
      type: 'environment.restored',
      timestamp: '2026-01-01T00:00:00.000Z',
      sequence: 1,
      restoreCode: 'WH5C2',
      environmentId: event.environmentId,
      data: {
        environmentId: event.environmentId,
        restore: {
          id: '0197a000-0000-7000-8000-000000000101',
          code: 'WH5C2',
          at: '2026-11-22T15:30:00.000Z',
          instant: '2026-11-22T15:00:00.000Z',
          usageToResend: { from: '2026-11-22T15:00:00.000Z', until: '2026-11-22T15:40:00.000Z' },
        },
      },
    });
  });

  test('has another id than the event of its number before it', () => {
    const { restoreCodes: _codes, ...before } = readExample('environment-restored');
    const after = { ...before, restoreCodes: codes };
    expect(messageId(after)).not.toBe(messageId(before));
    expect(messageIdsAt(before, ['WH5C2'])).toEqual([messageId(before), messageId(after)]);
  });

  test('that is unreadable keeps its key', () => {
    const { data: _data, ...rest } = JSON.parse(example('environment-restored'));
    const { environmentId, subscriptionId } = readExample('environment-restored');
    expect(readKey(`${subscriptionId}:1`, JSON.stringify(rest))).toEqual({
      ...{ environmentId, subscriptionId, subjectType: 'environment', sequence: 1 },
      restoreCodes: codes,
    });
  });
});

describe('an announced event', () => {
  test('is read from its envelope', () => {
    expect(readExample('subscription-created')).toMatchObject({
      environmentId: '01900000-0000-7000-8000-000000000002',
      subscriptionId: '01900000-0000-7000-8000-0000000000d1',
      sequence: 1,
      type: 'subscription.created',
      time: '2026-01-17T00:00:00.000Z',
    });
  });

  test.each([
    ['billing.invoice.archived', 'invoice'],
    ['billing.subscription.archived', 'subscription'],
  ])('of the later type %s has its key and no data', (type, subjectType) => {
    const envelope = { ...JSON.parse(example('subscription-created')), type };
    expect(readEvent(JSON.stringify(envelope))).toMatchObject({
      type: type.slice('billing.'.length),
      subjectType,
      sequence: 1,
      data: undefined,
    });
  });

  test('that is not of this system becomes no webhook', () => {
    const other = { ...JSON.parse(example('subscription-created')), type: 'other.thing' };
    expect(readEvent(JSON.stringify(other))).toBeUndefined();
  });

  test.each([
    ['no JSON', 'hello'],
    ['no object', '1'],
    ['no envelope', '{}'],
    ['without a sequence', example('subscription-created').replace('"sequence": 1,', '')],
    ['of no environment', example('subscription-created').replace('"environmentid"', '"other"')],
  ])('that is %s is unreadable', (_name, envelope) => {
    expect(() => readEvent(envelope)).toThrow(UnreadableMessageError);
  });

  test('without its subscription is unreadable', () => {
    const event = readExample('subscription-created');
    const { data } = event;
    const without = { ...data, event: { ...data.event, subscription: undefined } };
    expect(() => toBody({ ...event, data: without as WebhookData }, 'id')).toThrow(
      UnreadableMessageError,
    );
  });
});

describe('the body of a webhook', () => {
  test.each([
    ['subscription-created', 'subscription.created', always],
    ['subscription-renewed', 'subscription.renewed', [...always, 'invoiceId']],
    ['subscription-updated', 'subscription.updated', [...always, 'changes']],
    ['subscription-updated-past-due', 'subscription.updated', [...always, 'changes']],
    ['subscription-created-by-checkout', 'subscription.created', [...always, 'invoiceId']],
    ['subscription-canceled', 'subscription.canceled', [...always, 'canceledAt', 'reason']],
    [
      'subscription-canceled-payment-failed',
      'subscription.canceled',
      [...always, 'invoice', 'attempt', 'canceledAt', 'reason'],
    ],
    [
      'subscription-payment-succeeded',
      'subscription.payment_succeeded',
      [...always, 'invoice', 'attempt'],
    ],
  ])('of %s has the type %s and the keys that apply', (name, type, keys) => {
    const body = bodyOf(name);
    const scalars = keys.filter((key) => !['subscription', 'invoice', 'changes'].includes(key));
    const head = ['id', 'type', 'timestamp', 'sequence', 'restoreCode'];
    expect(Object.keys(body)).toEqual([...head, ...scalars, 'data']);
    expect(body.restoreCode).toBeNull();
    expect(body).toMatchObject({ id: 'the id', type });
    for (const scalar of scalars) expect(body[scalar]).toEqual(body.data[scalar]);
    expect(Object.keys(body.data)).toEqual(keys);
  });

  test('of a failed payment contains the attempt and, if there will be one, the next', () => {
    const event = readExample('subscription-payment-failed');
    expect(bodyOf('subscription-payment-failed').data).toMatchObject({
      attempt: 1,
      nextAttemptAt: '2026-02-03T00:00:00.000Z',
      invoice: { status: 'OPEN', payments: [{ status: 'FAILED' }] },
    });

    const last = { ...event.data, event: { ...event.data.event, nextAttemptAt: undefined } };
    expect(
      JSON.parse(toBody({ ...event, data: last as WebhookData }, 'id')).data,
    ).not.toHaveProperty('nextAttemptAt');
  });

  test('of an end for lack of payment contains the uncollectible invoice', () => {
    expect(bodyOf('subscription-canceled-payment-failed').data).toMatchObject({
      status: 'CANCELED',
      reason: 'PAYMENT_FAILED',
      attempt: 1,
      canceledAt: '2026-02-14T00:00:00.000Z',
      invoice: { status: 'UNCOLLECTIBLE', amountDue: 0 },
    });
  });

  test("contains the subscription's discount and its end", () => {
    expect(bodyOf('subscription-created-by-checkout').data.subscription).toMatchObject({
      discountId: '01900000-0000-7000-8000-0000000000f1',
      discountEndsAt: '2026-04-17T00:00:00.000Z',
    });
  });

  test('contains the subscription as REST represents it', () => {
    const { timestamp, sequence, data } = bodyOf('subscription-created');
    expect({ timestamp, sequence }).toEqual({
      timestamp: '2026-01-17T00:00:00.000Z',
      sequence: 1,
    });
    expect(data).toMatchObject({
      subscriptionId: '01900000-0000-7000-8000-0000000000d1',
      customerId: '01900000-0000-7000-8000-0000000000a1',
      status: 'ACTIVE',
      subscription: {
        status: 'ACTIVE',
        phase: 'TRIAL',
        nextInvoiceAt: '2026-01-31T00:00:00.000Z',
        canceledAt: null,
        metadata: { plan: 'pro', seats: 3, trial: false, note: null },
        price: { amount: 2900, billingInterval: 'MONTHLY', trialDays: 14 },
        customer: { email: 'ada@example.com' },
      },
    });
  });

  test('contains both sides of every change, including null', () => {
    expect(bodyOf('subscription-updated').data.changes).toEqual({
      nextInvoiceAt: { from: '2026-02-28T00:00:00.000Z', to: null },
      cancelAtPeriodEnd: { from: false, to: true },
      canceledAt: { from: null, to: '2026-02-10T00:00:00.000Z' },
      cancelReason: { from: null, to: 'REQUESTED' },
    });
  });

  test("contains time and reason of a subscription's end", () => {
    expect(bodyOf('subscription-canceled').data).toMatchObject({
      status: 'CANCELED',
      canceledAt: '2026-02-10T00:00:00.000Z',
      reason: 'REQUESTED',
    });
  });

  test('is the same text each time', () => {
    const event = readExample('subscription-payment-succeeded');
    expect(toBody(event, 'id')).toBe(toBody(event, 'id'));
  });
});

test.each(readdirSync(examples))('the consumer of the stream receives the event of %s', (file) => {
  const { type, source } = JSON.parse(readFileSync(join(examples, file), 'utf8'));
  const subject = `${source.replace('/billing/', '')}.${type.replace('billing.', '')}`;
  expect(webhookSubjects).toContain(subject.replace(/\.\w+$/, '.*'));
  expect(Object.keys(bodyOf(file.replace('.json', '')))).toContain('data');
});

describe('the body of a webhook about a checkout session', () => {
  test.each([
    ['checkout-completed', 'checkout.completed', 'COMPLETE', 'PAID'],
    ['checkout-expired', 'checkout.expired', 'EXPIRED', 'VOID'],
  ])('of %s contains the session and its invoice', (name, type, status, invoiceStatus) => {
    const { data, ...body } = bodyOf(name);
    const checkoutSessionId = '0197a000-0000-7000-8000-000000000101';
    expect(body).toEqual({
      id: 'the id',
      type,
      timestamp: expect.any(String),
      sequence: 1,
      restoreCode: null,
      checkoutSessionId,
      customerId: data.customerId,
      status,
    });
    expect(Object.keys(data)).toEqual([
      'checkoutSessionId',
      'customerId',
      'status',
      'session',
      'invoice',
    ]);
    expect(data).toMatchObject({
      checkoutSessionId,
      customerId: '0197a000-0000-7000-8000-000000000003',
      status,
      session: { id: checkoutSessionId, status, metadata: { cart: 'c-17' } },
      invoice: { status: invoiceStatus, total: 2900 },
    });
  });

  test('cannot be built without its session', () => {
    const event = readExample('checkout-completed');
    const data = { kind: 'checkout', event: { session: undefined, invoice: undefined } } as const;
    expect(() => toBody({ ...event, data }, 'id')).toThrow(UnreadableMessageError);
  });
});

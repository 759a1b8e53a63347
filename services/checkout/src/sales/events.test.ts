import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stored } from '@billing/chassis/aggregate';
import { toEnvelope } from '@billing/chassis/event-log';
import { BillingInterval, Price, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { CollectionMethod, Customer } from '@billing/proto/billing/customer/v1/customer';
import { payNow, recordResult } from '../invoice/collection';
import { type InvoiceRecord, voidInvoice } from '../invoice/invoice';
import {
  expire,
  type NewSession,
  recordPayment,
  type SessionRecord,
  type SessionTransition,
  startPayment,
} from './session';
import { recordVoided } from './session-ending';
import { sessionEventEncoder } from './events';
import { customerSnapshot } from '../peer/customer';
import { priceSnapshot } from '../peer/product';
import { aClaim, aLineItem, anOpened, savedMethod } from '../testing/invoice';
import { aReadySession, methodId, offeredAt, sessionId } from '../testing/session';

const examples = join(__dirname, '../../../../proto/examples');
const tenant = {
  organizationId: '01900000-0000-7000-8000-000000000001',
  environmentId: '01900000-0000-7000-8000-000000000002',
  live: false,
  manualClock: true,
};
const pages = {
  urlOf: ({ kind }: { kind: string }) => `https://pay.example/${kind.toLowerCase()}`,
};
const paidAt = new Date('2026-01-01T09:00:00.000Z');
const expiredAt = new Date('2026-01-02T00:00:00.000Z');

const price = Price.fromPartial({
  id: '0197a000-0000-7000-8000-000000000004',
  productId: '0197a000-0000-7000-8000-000000000005',
  type: PricingType.PRICING_TYPE_FLAT,
  currency: 'USD',
  amount: 2900n,
  billingInterval: BillingInterval.BILLING_INTERVAL_ONE_TIME,
  intervalCount: 1,
  active: true,
  createdAt: offeredAt,
  updatedAt: offeredAt,
});
const customer = Customer.fromPartial({
  id: '0197a000-0000-7000-8000-000000000003',
  organizationId: tenant.organizationId,
  email: 'ada@example.com',
  name: 'Ada',
  currency: 'USD',
  collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  createdAt: offeredAt,
  updatedAt: offeredAt,
});

const boughtOnce: Partial<NewSession> = {
  subscriptionId: undefined,
  recurrence: { billingInterval: 'ONE_TIME', intervalCount: 1 },
  successUrl: 'https://shop.example/thanks',
  metadata: { cart: 'c-17' },
  snapshots: {
    customer: customerSnapshot.write(customer),
    price: priceSnapshot.write(price),
    discount: undefined,
  },
};
const noPeriod = { periodStart: undefined, periodEnd: undefined };
const opened = anOpened({
  subscriptionId: undefined,
  billingReason: 'CHECKOUT',
  lineItems: [aLineItem(noPeriod)],
  session: { sessionId, subscriptionId: undefined, paidPeriod: { kind: 'NONE' } },
  ...noPeriod,
});

/** A record as stored after several changes. */
function stored<S>(state: S, version: number, updatedAt: Date): Stored<S> {
  return { state, tenant, version, createdAt: offeredAt, updatedAt };
}

function paidInvoice(): Stored<InvoiceRecord> {
  const times = { now: paidAt, claimedAt: paidAt };
  const presence = { callId: 'first', returnUrl: 'https://pay.example' };
  const claim = { ...aClaim({ source: savedMethod, ...times }), ...presence };
  const { state } = recordResult(
    payNow(opened, { ...claim, methods: { methodId: undefined } }).state,
    {
      attemptNumber: 1,
      outcome: { status: 'SUCCEEDED', providerPaymentId: 'ch_1' },
      paymentId: '0197a000-0000-7000-8000-000000000021',
      claimedAt: paidAt,
      methods: { methodId: undefined },
      provider: 'sandbox',
      retryDays: [],
      now: paidAt,
    },
  );
  return stored(state, 4, paidAt);
}

function completion(): SessionTransition {
  const plan = { paymentKey: 'first', paymentMethodId: methodId, returnUrl: '' };
  const times = { now: paidAt, claimedAt: paidAt };
  const session = aReadySession(boughtOnce);
  const { state } = startPayment(session, { ...plan, ...times });
  const { invoiceId } = session;
  const result = { kind: 'PAID', invoiceId, paidAt, invoice: paidInvoice() } as const;
  return recordPayment(state, { paymentKey: 'first', result });
}

function expiry(): SessionTransition {
  const { state } = voidInvoice(opened, { number: 'INV-000001', now: expiredAt });
  return recordVoided(expire(aReadySession(boughtOnce)).state, stored(state, 3, expiredAt));
}

function announce({ state, events: [event] }: SessionTransition, version: number, at: Date) {
  if (event === undefined) throw new Error('Nothing is announced');
  const encode = sessionEventEncoder(pages);
  const data = encode(event, stored<SessionRecord>(state, version, at));
  return toEnvelope({
    service: 'checkout',
    aggregate: 'checkoutSession',
    aggregateId: sessionId,
    sequence: 1,
    type: event.type,
    at,
    tenant,
    data: JSON.stringify(data),
  });
}

describe('the event of an ended session', () => {
  // The notifier reads the same files.
  test.each([
    { file: 'checkout-completed.json', envelope: announce(completion(), 4, paidAt) },
    { file: 'checkout-expired.json', envelope: announce(expiry(), 4, expiredAt) },
  ])('matches $file', ({ file, envelope }) => {
    const expected: unknown = JSON.parse(readFileSync(join(examples, file), 'utf8'));
    expect(JSON.parse(envelope)).toEqual(expected);
  });
});

import { DomainError } from '@billing/kernel/domain-error';
import { createCustomer } from './customer';
import {
  begunOrders,
  continueErasure,
  eraseCustomer,
  type Obligations,
  refuseObligations,
} from './erasure';

const customer = createCustomer(
  {
    email: 'ada@example.com',
    externalId: 'u-17',
    name: 'Ada',
    phone: '+39 06 1',
    address: { line1: 'Main Street 1', country: 'IT' },
    taxIds: [{ type: 'OTHER', value: 'X1' }],
    buyerReference: 'B-1',
    collectionMethod: 'SEND_INVOICE',
    metadata: { plan: 'pro' },
  },
  { id: '0197a000-0000-7000-8000-000000000003', metadataProblems: [] },
);
const realNow = new Date('2026-02-01T00:00:00.000Z');
const after = (ms: number) => new Date(realNow.getTime() + ms);
const dayMs = 24 * 60 * 60_000;

const none: Obligations = {
  hasActiveSubscription: false,
  hasOpenSession: false,
  hasOpenInvoice: false,
  hasPendingRefundOrDispute: false,
  hasBalance: false,
};

test.each([
  ['an active subscription', { hasActiveSubscription: true, hasBalance: true }],
  ['an open checkout session', { hasOpenSession: true, hasOpenInvoice: true }],
  ['an open invoice', { hasOpenInvoice: true, hasPendingRefundOrDispute: true }],
  ['a pending refund or dispute', { hasPendingRefundOrDispute: true, hasBalance: true }],
  ['a balance', { hasBalance: true }],
])('a customer with %s is not deleted', (what, some) => {
  const refusal = new DomainError('failed_precondition', 'CUSTOMER_IN_USE', `Customer has ${what}`);
  expect(() => {
    refuseObligations({ ...none, ...some });
  }).toThrow(refusal);
});

test('a customer without obligations is deleted', () => {
  expect(() => {
    refuseObligations(none);
  }).not.toThrow();
});

test('a deletion leaves nothing about the person in the customer', () => {
  const { state, commands } = eraseCustomer(customer, { realNow, encoded: 'was' });
  const { erasure, ...rest } = state;
  expect(JSON.stringify(rest)).not.toMatch(/Ada|ada@|u-17|06 1|Street|X1|B-1|pro/);
  expect(rest).toMatchObject({ currency: 'USD', collectionMethod: 'SEND_INVOICE' });
  expect(erasure).toMatchObject({ erasedAt: realNow, customer: 'was' });
  expect(commands.map(({ payload }) => [payload.service, payload.step])).toEqual([
    ['subscription', 'DATA'],
    ['checkout', 'DATA'],
    ['metering', 'DATA'],
    ['notifier', 'DATA'],
    ['identity', 'DATA'],
  ]);
});

test('a deleted customer is unknown to a second deletion', () => {
  const { state } = eraseCustomer(customer, { realNow, encoded: '' });
  expect(() => eraseCustomer(state, { realNow, encoded: '' })).toThrow('Customer not found');
});

test('the services are asked again after 20 seconds, and for events after 30 days', () => {
  const first = eraseCustomer(customer, { realNow, encoded: 'was' }).state;
  expect(continueErasure(first, after(19_999)).state).toBe(first);
  const second = continueErasure(first, after(20_000));
  expect(second.commands.map(({ payload }) => payload.service)).toEqual([
    ...['checkout', 'subscription', 'checkout', 'metering', 'notifier', 'identity'],
  ]);
  expect(second.commands.every(({ payload }) => payload.customer === 'was')).toBe(true);
  expect(second.state.erasure).toMatchObject({ customer: null });
  expect(continueErasure(second.state, after(30 * dayMs - 1)).commands).toEqual([]);
  const third = continueErasure(second.state, after(30 * dayMs));
  expect(third.commands.map(({ payload }) => payload.step)).toEqual(
    Array.from({ length: 5 }, () => 'EVENTS'),
  );
  expect(continueErasure(third.state, after(400 * dayMs)).state).toBe(third.state);
});

test('after a restore the orders of the steps that have begun are given again', () => {
  const deleted = eraseCustomer(customer, { realNow, encoded: 'encoded' });
  const later = continueErasure(deleted.state, after(20_000));
  expect(begunOrders(customer)).toEqual([]);
  expect(begunOrders(deleted.state)).toEqual(deleted.commands);
  const [first, ...others] = begunOrders(later.state);
  expect(first?.payload).toMatchObject({ step: 'DATA', customer: null, isFirst: true });
  expect(others.map(({ payload }) => payload.step)).toContain('LATE_WRITES');
  expect(others.map(({ payload }) => payload.step)).not.toContain('EVENTS');
});

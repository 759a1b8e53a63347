import {
  createSession,
  makeReady,
  type NewSession,
  type Session,
  type SessionRecord,
} from '../sales/session';

// Sessions for tests: a monthly product of 29.00 USD, offered on the first of January 2026.

export const offeredAt = new Date('2026-01-01T00:00:00.000Z');
export const sessionId = '0197a000-0000-7000-8000-000000000101';
export const methodId = '0197a000-0000-7000-8000-00000000000a';

export function aNewSession(input: Partial<NewSession> = {}): NewSession {
  return {
    id: sessionId,
    customerId: '0197a000-0000-7000-8000-000000000003',
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    productId: '0197a000-0000-7000-8000-000000000005',
    productName: 'Pro',
    productDescription: undefined,
    priceId: '0197a000-0000-7000-8000-000000000004',
    currency: 'USD',
    quantity: 1,
    recurrence: { billingInterval: 'MONTHLY', intervalCount: 1 },
    trialDays: 0,
    discountId: undefined,
    isDiscountOptional: false,
    isForVisitor: false,
    checkoutLinkId: undefined,
    successUrl: undefined,
    cancelUrl: undefined,
    metadata: {},
    snapshots: { customer: '{}', price: '{}', discount: undefined },
    abandonAt: new Date('2026-01-01T00:00:15.000Z'),
    invoiceId: '0197a000-0000-7000-8000-000000000001',
    subscriptionId: '0197a000-0000-7000-8000-000000000002',
    total: 2900n,
    pageHash: undefined,
    ...input,
  };
}

/** A session whose discount, if it has one, is not reserved yet. */
export function aSession(input: Partial<NewSession> = {}): Session {
  return createSession(aNewSession({ ...input, total: undefined }), offeredAt).state;
}

/** A session whose payer owes a total. */
export function aReadySession(input: Partial<NewSession> = {}, total = 2900n): Session {
  return asSession(makeReady(aSession(input), { total, discount: undefined }).state);
}

/** The record as a session; a tombstone throws. */
export function asSession(record: SessionRecord): Session {
  if (record.isTombstone) throw new Error('A tombstone is no session');
  return record;
}

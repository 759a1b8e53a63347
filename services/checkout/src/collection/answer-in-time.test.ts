import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, StoringGate } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { BillingInterval, Price, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { amountChanged } from '../invoice/collection';
import type { InvoiceRecord } from '../invoice/invoice';
import { priceSnapshot } from '../peer/product';
import { aClaim, anOpened, asInvoice } from '../testing/invoice';
import { aReadySession, asSession, methodId } from '../testing/session';
import type { SessionRecord } from '../sales/session';
import {
  SessionPreparer,
  type SessionPreparerDependencies,
} from '../sales/session-preparation-worker';
import { SessionWorker, type SessionWorkerDependencies } from '../sales/session-worker';
import { type AttemptDependencies, AttemptWorker } from './attempt-worker';
import { type PaymentDependencies, PaymentWorker } from './payment-worker';
import { type RecordedPaymentDependencies, RecordedPaymentWorker } from './recorded-payment-worker';

const now = new Date('2026-01-01T12:00:00.000Z');
const never = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('The connection was reset'));

/** A call whose gate has a fixed time left, so that no test depends on its own duration. */
function call(msLeft: number): CallContext {
  const deadline = systemClock.now();
  const at = new Date(deadline.getTime() - msLeft);
  const storing = new StoringGate(deadline, { now: () => at });
  return { tenant: {}, now, deadline, storing } as unknown as CallContext;
}

// The write still has time, the wait has not.
const short = () => call(2_000);
const long = () => call(60_000);

/** A call that has stored something else, such as due work, and has too little time for more. */
function late(): CallContext {
  const context = call(1_000);
  context.storing?.recordStored();
  return context;
}

/** One stored record. Reads after the first write fail if `isLost`. */
function storeOf<S extends { readonly id: string }>(stored: S, { isLost = false } = {}) {
  let state: S = stored;
  let version = 1;
  const read = () => ({ state, version, tenant: {} });
  return {
    state: () => state,
    within: ({ storing }: CallContext) => ({
      get: () => (isLost && version > 1 ? fails() : Promise.resolve(read())),
      mutate: (_id: string, decide: (record: S, at: Date) => { state: S }) => {
        const next = decide(state, now).state;
        if (next !== state) {
          storing?.pass();
          state = next;
          version += 1;
        }
        return Promise.resolve(read());
      },
    }),
  };
}

const attempts = new AttemptWorker({} as AttemptDependencies);
/** Frees a slot that is free. */
const release: AttemptWorker['release'] = (stored, context) => attempts.release(stored, context);

const claimOf = () => aClaim({ source: { kind: 'METHOD', paymentMethodId: methodId } });
const methods = { choiceFor: () => Promise.resolve({ methodId, becomesDefault: false }) };

function paying(finish: () => Promise<unknown>, options = {}) {
  const invoices = storeOf<InvoiceRecord>(anOpened(), options);
  const unknown: unknown[] = [];
  const worker = new PaymentWorker({
    ...{ invoices, methods, clock: systemClock },
    attempts: { claimOf, finish, release },
    logger: { warn: ({ err }: { err: unknown }) => unknown.push(err) },
  } as unknown as PaymentDependencies);
  const { id: invoiceId } = invoices.state();
  return { worker, invoices, unknown, invoiceId };
}

describe('a payment of an invoice', () => {
  const source = { kind: 'METHOD', paymentMethodId: methodId } as const;
  const payer = { callId: 'call', returnUrl: undefined };

  test('is answered as claimed when the provider does not answer in time', async () => {
    const { worker, invoiceId, unknown } = paying(never);
    const { state } = await worker.pay({ invoiceId, source }, payer, short());
    expect(asInvoice(state).attempt).toMatchObject({ status: 'PENDING', callId: 'call' });
    expect(unknown).toMatchObject([{ reason: 'STILL_UNDER_WAY' }]);
  });

  test('is answered as claimed when neither provider nor database answers', async () => {
    const { worker, invoiceId } = paying(fails, { isLost: true });
    const { state } = await worker.pay({ invoiceId, source }, payer, long());
    expect(asInvoice(state).attempt).toMatchObject({ status: 'PENDING', callId: 'call' });
  });

  test.each([
    ['when', () => call(1_000)],
    ['after due work when', late],
  ])('is not begun %s fewer than two seconds are left', async (_name, context) => {
    const { worker, invoiceId, invoices } = paying(never);
    const paid = worker.pay({ invoiceId, source }, payer, context());
    await expect(paid).rejects.toMatchObject({ reason: 'TOO_LATE_TO_STORE' });
    expect(asInvoice(invoices.state()).attempt).toBeUndefined();
  });
});

test('a payment from the balance is answered as claimed when its posting takes too long', async () => {
  const invoices = storeOf<InvoiceRecord>(anOpened());
  const worker = new RecordedPaymentWorker({
    ...{ invoices, methods, clock: systemClock },
    balances: { amountOf: () => Promise.resolve(10_000n) },
    attempts: { finish: never, release },
    logger: { warn: () => undefined },
  } as unknown as RecordedPaymentDependencies);
  const details = { method: 'BALANCE', reference: undefined, receivedAt: undefined, metadata: {} };
  const payment = {
    invoiceId: invoices.state().id,
    amount: 100n,
    isCustomerDeleted: false,
    details,
  };
  const { stored, number } = await worker.record(payment as never, short());
  expect(asInvoice(stored.state).attempt).toMatchObject({ number, status: 'PENDING' });
});

function selling(pay: () => Promise<unknown>, session: SessionRecord = aReadySession()) {
  const sessions = storeOf<SessionRecord>(session);
  const unfinished: unknown[] = [];
  const worker = new SessionWorker({
    ...{ sessions, clock: systemClock, openInvoice: never },
    invoices: { pay, answerChallenge: pay },
    logger: { warn: ({ err }: { err: unknown }) => unfinished.push(err) },
  } as unknown as SessionWorkerDependencies);
  return { worker, sessions, unfinished, id: session.id };
}

describe('a payment of a session', () => {
  const plan = { paymentMethodId: methodId, returnUrl: 'https://pay.example' };

  test('is answered as claimed when its invoice is not paid in time', async () => {
    const { worker, id, unfinished } = selling(never);
    const { state } = await worker.pay(id, plan, short());
    expect(asSession(state)).toMatchObject({ phase: 'PAYING', payment: plan });
    expect(unfinished).toMatchObject([{ reason: 'STILL_UNDER_WAY' }]);
  });

  test('is answered as claimed when its invoice cannot be read', async () => {
    const { worker, id } = selling(fails);
    expect(asSession((await worker.pay(id, plan, long())).state).phase).toBe('PAYING');
  });

  test('of another amount than is due is refused', async () => {
    const { worker, id } = selling(() => Promise.reject(amountChanged()));
    const refused = worker.pay(id, plan, long());
    await expect(refused).rejects.toMatchObject({ reason: 'AMOUNT_CHANGED' });
  });

  test('is not begun when fewer than two seconds are left', async () => {
    const { worker, id, sessions } = selling(never);
    const paid = worker.pay(id, plan, call(1_000));
    await expect(paid).rejects.toMatchObject({ reason: 'TOO_LATE_TO_STORE' });
    expect(asSession(sessions.state()).phase).toBe('READY');
  });

  test('after a challenge is answered as claimed when it takes too long', async () => {
    const challenge = { ...plan, paymentKey: 'key', attempt: 1, redirectUrl: undefined };
    const { worker, id } = selling(never, { ...aReadySession(), challenge });
    const { state } = await worker.answerChallenge(id, { attempt: 1, approved: true }, short());
    expect(asSession(state)).toMatchObject({ phase: 'PAYING', payment: { paymentKey: 'key' } });
  });
});

describe('a stored discount code', () => {
  const inForce = { state: aReadySession(), version: 2 } as Stored<SessionRecord>;
  const replaced = { invoiceId: 'replaced' };
  const preparerWith = (find: () => Promise<unknown>) =>
    new SessionPreparer({
      invoices: { within: () => ({ find }) },
      logger: { warn: () => undefined },
    } as unknown as SessionPreparerDependencies);

  test.each([
    ['cannot be read', fails, long],
    ['is not replaced in time', never, short],
  ])('is answered as stored when its invoice %s', async (_name, find, context) => {
    const preparer = preparerWith(find);
    expect(await preparer.replaceInvoiceForCaller(inForce, replaced, context())).toBe(inForce);
  });
});

test('a discount code is not taken off after due work when fewer than two seconds are left', async () => {
  const held = { round: 1, holderId: 'holder' };
  const codes = { round: 1, wrong: 0, replacements: 1, held, replacedInvoiceId: undefined };
  const { BILLING_INTERVAL_ONE_TIME: billingInterval } = BillingInterval;
  const terms = { type: PricingType.PRICING_TYPE_FLAT, currency: 'USD', amount: 2900n };
  const price = priceSnapshot.write(Price.fromPartial({ ...terms, billingInterval }));
  const ready = aReadySession({ snapshots: { customer: '{}', price, discount: undefined } });
  const session = { ...ready, discountId: 'discount', codes };
  const sessions = storeOf<SessionRecord>(session);
  const preparer = new SessionPreparer({
    sessions,
    invoices: { within: () => ({ find: () => Promise.resolve({}) }) },
    logger: { warn: () => undefined },
  } as unknown as SessionPreparerDependencies);
  const removed = preparer.removeCode(session, late());
  await expect(removed).rejects.toMatchObject({ reason: 'TOO_LATE_TO_STORE' });
  expect(sessions.state()).toBe(session);
});

import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import type { NewSessionInvoice } from './session-invoice';
import { aLineItem, asInvoice } from '../testing/invoice';
import { inParallel, openReplicas, type Replicas } from '../testing/store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

const now = new Date('2026-01-31T12:00:00.000Z');
const returnUrl = 'https://shop.example/back';
const monthly = { billingInterval: 'MONTHLY', intervalCount: 1 } as const;

async function anOpenInvoice(context: CallContext, input: Partial<NewSessionInvoice> = {}) {
  const { id: _id, periodStart: _s, periodEnd: _e, discountAmount: _d, ...line } = aLineItem();
  const invoice: NewSessionInvoice = {
    invoiceId: newId(),
    sessionId: newId(),
    customerId: newId(),
    currency: 'USD',
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    lineItems: [line],
    discount: undefined,
    subscriptionId: newId(),
    paidPeriod: { kind: 'INTERVAL', recurrence: monthly },
    ...input,
  };
  const { state } = await replica.sessionInvoices.open(invoice, context);
  return { invoice, state: asInvoice(state) };
}

function enter(customerId: string, number: string, context: CallContext) {
  const card = { number, expiry: '12/60', code: '123' };
  return replica.saver.enterCard({ customerId, card }, context);
}

async function aCharge(context: CallContext, number: string) {
  const { invoice } = await anOpenInvoice(context);
  const { invoiceId, customerId } = invoice;
  const paymentMethodId = await enter(customerId, number, context);
  return { invoice, charge: { invoiceId, paymentKey: newId(), paymentMethodId, returnUrl } };
}

test("a session's invoice is numbered, open and without periods or automatic attempts", async () => {
  const context = testContext({ now });
  const free = { ...aLineItem({ amount: 0n }) };
  const { state, invoice } = await anOpenInvoice(context, { lineItems: [free] });
  const { state: again } = await replica.sessionInvoices.open(invoice, context);

  expect(state).toMatchObject({
    status: 'OPEN',
    number: 'INV-000001',
    billingReason: 'CHECKOUT',
    subscriptionId: undefined,
    periodStart: undefined,
    collectAt: undefined,
    lineItems: [{ periodStart: undefined, periodEnd: undefined }],
  });
  expect(again).toEqual(state);
  expect(await replicas.commandsOf(invoice.invoiceId)).toEqual([]);
});

test.each([
  ['INTERVAL', { kind: 'INTERVAL', recurrence: monthly }, '2026-02-28T12:00:00.000Z'],
  ['TRIAL', { kind: 'TRIAL', days: 14 }, '2026-02-14T12:00:00.000Z'],
  ['NONE', { kind: 'NONE' }, undefined],
] as const)(
  "a paid session's invoice has its subscription, and the period %s from then on",
  async (_kind, paidPeriod, end) => {
    const context = testContext({ now });
    const earlier = { ...context, now: new Date('2026-01-30T00:00:00.000Z') };
    const { invoice } = await anOpenInvoice(earlier, { paidPeriod });
    const { invoiceId, customerId } = invoice;
    const paymentMethodId = await enter(customerId, '4242424242424242', context);
    const charge = { invoiceId, paymentKey: newId(), paymentMethodId, returnUrl };
    const paid = await replica.sessionInvoices.pay(charge, context);

    const periodStart = end === undefined ? undefined : now;
    const bounds = { periodStart, periodEnd: end === undefined ? undefined : new Date(end) };
    expect(paid.kind).toBe('PAID');
    expect(paid.invoice.state).toMatchObject({
      subscriptionId: invoice.subscriptionId,
      paidAt: now,
      ...bounds,
      lineItems: [bounds],
      resultsSent: 0,
    });
    expect(await replicas.commandsOf(invoiceId)).toEqual(['tellSession', 'preferMethod']);
  },
);

test('a payment is one attempt for its key, however often it is made', async () => {
  const context = testContext({ now });
  const { charge } = await aCharge(context, '4000000000009995');
  const first = await replica.sessionInvoices.pay(charge, context);
  const again = await inParallel(5, () => replicas.aReplica().sessionInvoices.pay(charge, context));

  expect(first).toMatchObject({ kind: 'FAILED', failureCode: 'insufficient_funds', at: now });
  expect(again.map(({ kind }) => kind)).toEqual(Array(5).fill('FAILED'));
  expect(await replicas.charges(charge.invoiceId)).toBe(1);
});

test('20 payments in parallel with different keys charge once', async () => {
  const context = testContext({ now });
  const { charge } = await aCharge(context, '4242424242424242');
  await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      replicas.aReplica().sessionInvoices.pay({ ...charge, paymentKey: newId() }, context),
    ),
  );
  expect(await replicas.charges(charge.invoiceId)).toBe(1);
  expect((await replicas.read(charge.invoiceId, context)).status).toBe('PAID');
});

test('a challenge waits under its attempt, and its answer pays', async () => {
  const context = testContext({ now });
  const { charge } = await aCharge(context, '4000002500003155');
  const waiting = await replica.sessionInvoices.pay(charge, context);
  const { invoiceId } = charge;
  const paid = await replica.sessionInvoices.answerChallenge(
    { invoiceId, attempt: 1, approved: true },
    context,
  );

  expect(waiting).toMatchObject({ kind: 'WAITING', attempt: 1, redirectUrl: undefined });
  expect(paid.kind).toBe('PAID');
});

test('a void cancels a challenge, leaves a paid invoice, and prevents a late creation', async () => {
  const context = testContext({ now });
  const { sessionInvoices } = replica;
  const holderOf = ({ invoiceId, sessionId, customerId, currency }: NewSessionInvoice) => ({
    invoiceId,
    sessionId,
    customerId,
    currency,
  });
  const waiting = await aCharge(context, '4000002500003155');
  await sessionInvoices.pay(waiting.charge, context);
  const paid = await aCharge(context, '4242424242424242');
  await sessionInvoices.pay(paid.charge, context);
  const late = { ...waiting.invoice, invoiceId: newId() };

  const states = [];
  for (const invoice of [waiting.invoice, paid.invoice, late]) {
    states.push((await sessionInvoices.void(holderOf(invoice), context)).state);
  }
  expect(states).toMatchObject([
    { status: 'VOID', isTombstone: false },
    { status: 'PAID' },
    { status: 'VOID', isTombstone: true },
  ]);
  expect((await sessionInvoices.open(late, context)).state).toMatchObject({ isTombstone: true });
  expect(await sessionInvoices.pay(waiting.charge, context)).toMatchObject({ kind: 'NOT_OPEN' });
});

test("an invoice with nothing due is paid on the payer's confirmation", async () => {
  const context = testContext({ now });
  const { invoice } = await anOpenInvoice(context, { lineItems: [aLineItem({ amount: 0n })] });
  const settled = await replica.sessionInvoices.settle(invoice.invoiceId, context);

  expect(settled.kind).toBe('PAID');
  expect(settled.invoice.state).toMatchObject({ payments: [], paidAt: now });
  expect(await replicas.commandsOf(invoice.invoiceId)).toEqual(['tellSession']);
});

test('an invoice with nothing due is paid by a card that can be charged later, which becomes the default', async () => {
  const context = testContext({ now });
  const { invoice } = await anOpenInvoice(context, { lineItems: [aLineItem({ amount: 0n })] });
  const { invoiceId, customerId } = invoice;
  const charge = async (number: string) => ({
    invoiceId,
    paymentKey: newId(),
    paymentMethodId: await enter(customerId, number, context),
    returnUrl,
  });
  const refused = await replica.sessionInvoices.pay(await charge('4000000000000069'), context);
  const verified = await replica.sessionInvoices.pay(await charge('4242424242424242'), context);

  expect(refused).toMatchObject({ kind: 'FAILED', failureCode: 'expired_card' });
  expect(verified.kind).toBe('PAID');
  expect(await replicas.commandsOf(invoiceId)).toEqual(
    expect.arrayContaining(['tellSession', 'preferMethod']),
  );
});

import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { applyCode } from '../sales/discount-code';
import { recordPayment } from '../sales/session';
import { asInvoice } from '../testing/invoice';
import { asSession } from '../testing/session';
import { aContradictedScene, pays } from '../testing/scene-payment';
import {
  endOf,
  finish,
  processOn,
  type Scene,
  sceneEnd,
  type SceneProcess,
} from '../testing/scene-store';
import { openReplicas, type Replicas } from '../testing/store';

// A session's payment is recorded as failed, and the provider says later that it has succeeded.

let replicas: Replicas;
let process: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  process = processOn(replicas.db);
  await process.sessions.ensureIndexes();
});

afterAll(() => replicas.close());

async function failedPayment({ context, invoiceId }: Scene) {
  const stored = await process.invoices.within(context).get(invoiceId);
  const { payments, creditNotes } = asInvoice(stored.state);
  const [payment] = payments;
  if (payment === undefined) throw new Error('The first payment has failed');
  return { stored, payment, creditNotes };
}

async function settleLate(scene: Scene, now = scene.context.now) {
  const { context, sessionId, invoiceId } = scene;
  const at = { ...context, now };
  const { stored, payment } = await failedPayment(scene);
  const holdSession = () =>
    process.worker.holdForLatePayment({ sessionId, invoiceId, payment }, at);
  return process.payments.settleLate(stored, { payment, holdSession }, at);
}

test('a session is complete once its failed payment has succeeded', async () => {
  const scene = await aContradictedScene(process);
  expect(await settleLate(scene)).toBe('SETTLED');
  await finish(process, scene);
  const { session, invoice } = await endOf(process, scene);
  expect([session.phase, session.isDelivered, invoice.status]).toEqual(['COMPLETE', true, 'PAID']);
  expect(session.lastPaymentError).toBeUndefined();
});

test('the card of a payment that succeeds late becomes the default, unless its customer has removed it', async () => {
  const scene = await aContradictedScene(process);
  const { context, invoiceId, customerId } = scene;
  expect(await process.methods.defaultOf(customerId, context)).toBeUndefined();
  const { methodId } = (await failedPayment(scene)).payment;
  expect(await settleLate(scene)).toBe('SETTLED');
  const document = await process.invoices.documents.findOne({ _id: invoiceId });
  const use = (document?.outbox ?? []).find(({ type }) => type === 'preferMethod');
  const keep = () => process.saver.keepUsed(customerId, use?.payload as never, context);
  await keep();
  expect(await process.methods.defaultOf(customerId, context)).toBe(methodId);

  const removed = { customerId, methodId: methodId ?? '' };
  await process.methods.remove(removed, { isCharged: false }, context);
  await keep();
  expect(await process.methods.defaultOf(customerId, context)).toBeUndefined();
});

test('a held session is complete although it expires before its invoice is paid', async () => {
  const scene = await aContradictedScene(process);
  const { context, sessionId, invoiceId } = scene;
  const { stored, payment } = await failedPayment(scene);
  const holdSession = async () => {
    const isHeld = await process.worker.holdForLatePayment(
      { sessionId, invoiceId, payment },
      context,
    );
    // The process paused here until another one resumed the session and the session's time was
    // over.
    await process.worker.resume(sessionId, context);
    const later = { ...context, now: new Date(sceneEnd.getTime() + 1) };
    await process.worker.expireDue(sessionId, later);
    return isHeld;
  };
  await process.payments.settleLate(stored, { payment, holdSession }, context);
  await finish(process, scene);
  const { session, invoice, charges } = await endOf(process, scene);
  expect([session.phase, invoice.status, charges]).toEqual(['COMPLETE', 'PAID', 1]);
});

test('a failure that is recorded late does not end the hold', async () => {
  const scene = await aContradictedScene(process);
  const { context, sessionId, invoiceId } = scene;
  const { payment } = await failedPayment(scene);
  const { sessions, worker } = process;
  const paymentKey = payment.callId ?? '';
  const claimedAt = systemClock.now();
  // The failed payment still runs here: its process has not recorded the failure yet.
  await sessions.within(context).mutate(sessionId, (record) => {
    const running = { paymentKey, paymentMethodId: 'card', returnUrl: '', claimedAt };
    return {
      state: { ...asSession(record), phase: 'PAYING', payment: running },
      events: [],
      commands: [],
    };
  });
  expect(await worker.holdForLatePayment({ sessionId, invoiceId, payment }, context)).toBe(true);
  const at = claimedAt;
  const result = { kind: 'FAILED', failureCode: 'card_declined', at } as const;
  const { state } = await sessions
    .within(context)
    .mutate(sessionId, (record) => recordPayment(record, { paymentKey, result }));
  expect(asSession(state).phase).toBe('PAYING');
  await finish(process, scene);
  const { session, invoice } = await endOf(process, scene);
  expect([session.phase, invoice.status]).toEqual(['COMPLETE', 'PAID']);
});

test('a session is ready again if the provider no longer reports the success', async () => {
  const scene = await aContradictedScene(process);
  const { context, sessionId, invoiceId } = scene;
  const { payment } = await failedPayment(scene);
  await process.worker.holdForLatePayment({ sessionId, invoiceId, payment }, context);
  const _id = `${scene.invoiceId}:1`;
  await replicas.db
    .collection<{ _id: string }>('sandboxCharges')
    .updateOne({ _id }, { $set: { failureCode: 'card_declined' } });
  await process.worker.resume(sessionId, context);
  const { session, invoice } = await endOf(process, scene);
  expect([session.phase, session.lastPaymentError?.code, invoice.status]).toEqual([
    'READY',
    'card_declined',
    'OPEN',
  ]);
});

test('a waiting challenge is canceled, and the session is complete', async () => {
  const scene = await aContradictedScene(process);
  await pays(process, '4000002500003155', scene);
  expect(await settleLate(scene)).toBe('SETTLED');
  await finish(process, scene);
  const { session, invoice } = await endOf(process, scene);
  expect([session.phase, session.challenge, invoice.status]).toEqual([
    'COMPLETE',
    undefined,
    'PAID',
  ]);
});

test.each([
  ['that has expired', true],
  ['whose time is over', false],
])(
  'a session %s is not paid: the money goes to the balance once its invoice is void',
  async (_case, isExpired) => {
    const scene = await aContradictedScene(process);
    const later = { ...scene.context, now: new Date(sceneEnd.getTime() + 1) };
    if (isExpired) await process.worker.expireDue(scene.sessionId, later);
    const early = settleLate(scene, later.now);
    await expect(early).rejects.toMatchObject({ reason: 'PAYMENT_IN_PROGRESS' });
    await finish(process, scene);
    expect(await settleLate(scene, later.now)).toBe('SETTLED');
    const { session, invoice } = await endOf(process, scene);
    expect([session.phase, session.isDelivered, invoice.status]).toEqual(['EXPIRED', true, 'VOID']);
    expect(invoice.payments).toMatchObject([{ status: 'SUCCEEDED', overpayment: 2900n }]);
    const document = await process.invoices.documents.findOne({ _id: scene.invoiceId });
    const types = (document?.outbox ?? []).map(({ type }) => type);
    expect(types).toContain('creditOverpayment');
  },
);

describe('a payment that a paused process records after it has asked the session', () => {
  async function creditedTo(scene: Scene): Promise<bigint> {
    const { customerId, invoiceId, context } = scene;
    const [note] = (await failedPayment(scene)).creditNotes;
    await process.creditNotes.complete({ invoiceId, creditNoteId: note?.id ?? '' }, context);
    return process.balances.amountOf({ customerId, currency: 'USD' }, context);
  }

  test('goes to the balance if a code has replaced the invoice', async () => {
    const scene = await aContradictedScene(process);
    const { context, sessionId, invoiceId } = scene;
    const { stored, payment } = await failedPayment(scene);
    const holdSession = async () => {
      const code = {
        ...{ round: 1, holderId: newId(), discountId: newId(), invoiceId: newId() },
        ...{ discount: '{}', total: 1450n, now: context.now },
      };
      await process.sessions
        .within(context)
        .mutate(sessionId, (record) =>
          applyCode({ ...asSession(record), allowsCodes: true }, code),
        );
      return true;
    };
    await process.payments.settleLate(stored, { payment, holdSession }, context);
    const command = { aggregateId: sessionId, context, sequence: 1 };
    const { voidReplaced } = process.commands;
    for (const _repeat of [1, 2]) await voidReplaced?.({ invoiceId } as never, command);
    const { invoice, session } = await endOf(process, scene);
    expect(session).toMatchObject({ phase: 'READY', total: 1450n });
    expect(invoice).toMatchObject({ status: 'PAID', creditNotes: [{ toBalance: 2900n }] });
    expect(await creditedTo(scene)).toBe(2900n);
  });

  test('goes to the balance if the session has ended', async () => {
    const scene = await aContradictedScene(process);
    const { context, sessionId } = scene;
    const { stored, payment } = await failedPayment(scene);
    const holdSession = async () => {
      const later = { ...context, now: new Date(sceneEnd.getTime() + 1) };
      await process.worker.expireDue(sessionId, later);
      return true;
    };
    await process.payments.settleLate(stored, { payment, holdSession }, context);
    await finish(process, scene);
    const { invoice, session } = await endOf(process, scene);
    expect([session.phase, session.isDelivered]).toEqual(['EXPIRED', true]);
    expect(invoice).toMatchObject({ status: 'PAID', creditNotes: [{ toBalance: 2900n }] });
    expect(await creditedTo(scene)).toBe(2900n);
  });
});

test('a late success fails with PAYMENT_IN_PROGRESS while another payment of the session runs', async () => {
  const scene = await aContradictedScene(process);
  const { context, sessionId } = scene;
  const claimedAt = systemClock.now();
  await process.sessions.within(context).mutate(sessionId, (record) => {
    const payment = { paymentKey: 'other', paymentMethodId: 'card', returnUrl: '', claimedAt };
    return { state: { ...asSession(record), phase: 'PAYING', payment }, events: [], commands: [] };
  });
  await expect(settleLate(scene)).rejects.toMatchObject({ reason: 'PAYMENT_IN_PROGRESS' });
});

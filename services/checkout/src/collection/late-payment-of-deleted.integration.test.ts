import { newId } from '@billing/chassis/ids';
import { only } from '@billing/kernel/transition';
import { refundableOf } from '../invoice/refundable';
import { applyCode } from '../sales/discount-code';
import { asInvoice } from '../testing/invoice';
import {
  endOf,
  finish,
  processOn,
  type Scene,
  sceneEnd,
  type SceneProcess,
} from '../testing/scene-store';
import { aContradictedScene } from '../testing/scene-payment';
import { asSession } from '../testing/session';
import { openReplicas, type Replicas } from '../testing/store';

// The provider says that a payment has succeeded after its customer was deleted.

let replicas: Replicas;
let process: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  process = processOn(replicas.db);
  await process.sessions.ensureIndexes();
});

afterAll(() => replicas.close());

/** A payment on a VOID invoice that is recorded as failed and has succeeded at the provider. */
async function aVoidScene(): Promise<Scene> {
  const scene = await aContradictedScene(process);
  const now = new Date(sceneEnd.getTime() + 1);
  await process.worker.expireDue(scene.sessionId, { ...scene.context, now });
  await finish(process, scene);
  return { ...scene, context: { ...scene.context, now } };
}

async function settleLate({ context, invoiceId }: Scene): Promise<void> {
  const stored = await process.invoices.within(context).get(invoiceId);
  const [payment] = asInvoice(stored.state).payments;
  const holdSession = () => Promise.resolve(true);
  await process.payments.settleLate(stored, { payment: payment!, holdSession }, context);
}

async function ledgerOf({ context, customerId }: Scene) {
  const page = { customerId, page: 1, perPage: 10 };
  const { data } = await process.entries.list(page, context);
  return data.map(({ kind, amount }) => [kind, amount]);
}

test('a payment that succeeds late is refunded to a deleted customer', async () => {
  const scene = await aVoidScene();
  const { context, invoiceId, customerId } = scene;
  process.deleted.add(customerId);
  await settleLate(scene);
  await finish(process, scene);
  for (const _repeat of [1, 2]) await process.refunds.resume(invoiceId, context);
  const { invoice, charges } = await endOf(process, scene);
  expect([invoice.status, charges]).toEqual(['VOID', 1]);
  expect(invoice.payments).toMatchObject([{ status: 'SUCCEEDED', overpayment: 2900n }]);
  expect(invoice.refunds).toMatchObject([
    { status: 'SUCCEEDED', amount: 2900n, creditNoteId: undefined, settledAt: context.now },
  ]);
  expect(await ledgerOf(scene)).toEqual([]);
});

test('an overpayment that was posted before the deletion is not refunded as well', async () => {
  const scene = await aVoidScene();
  const { context, invoiceId, customerId } = scene;
  await settleLate(scene);
  const { state } = await process.invoices.within(context).get(invoiceId);
  const [payment] = asInvoice(state).payments;
  await process.recordedPayments.creditOverpayment(state, payment!.id, context);
  process.deleted.add(customerId);
  await finish(process, scene);
  expect((await endOf(process, scene)).invoice.refunds).toEqual([]);
  expect(await ledgerOf(scene)).toEqual([['OVERPAYMENT', 2900n]]);
});

test('the part that a charge has taken too much is refunded to a deleted customer alone', async () => {
  const scene = await aContradictedScene(process);
  const { context, invoiceId, customerId } = scene;
  // As after a restore: the charge at the provider is of more than what is outstanding.
  await process.invoices.within(context).mutate(invoiceId, (record) => {
    const invoice = asInvoice(record);
    const payments = invoice.payments.map((payment) => ({ ...payment, amount: 3000n }));
    return only({ ...invoice, payments });
  });
  await settleLate(scene);
  process.deleted.add(customerId);
  await finish(process, scene);
  await process.refunds.resume(invoiceId, context);
  const { invoice } = await endOf(process, scene);
  expect(invoice).toMatchObject({
    status: 'PAID',
    payments: [{ amount: 3000n, overpayment: 100n }],
    refunds: [{ status: 'SUCCEEDED', amount: 100n, creditNoteId: undefined }],
  });
  expect(refundableOf(invoice.payments[0]!, invoice)).toBe(2900n);
  expect(await ledgerOf(scene)).toEqual([]);
});

test('an invoice that is paid after a code has replaced it is refunded to a deleted customer', async () => {
  const scene = await aContradictedScene(process);
  const { context, sessionId, invoiceId, customerId } = scene;
  await settleLate(scene);
  const code = {
    ...{ round: 1, holderId: newId(), discountId: newId(), invoiceId: newId() },
    ...{ discount: '{}', total: 1450n, now: context.now },
  };
  await process.sessions
    .within(context)
    .mutate(sessionId, (record) => applyCode({ ...asSession(record), allowsCodes: true }, code));
  process.deleted.add(customerId);
  const command = { aggregateId: sessionId, context, sequence: 1 };
  for (const _repeat of [1, 2]) {
    await process.commands.voidReplaced?.({ invoiceId } as never, command);
  }
  const [note] = (await endOf(process, scene)).invoice.creditNotes;
  await process.creditNotes.complete({ invoiceId, creditNoteId: note!.id }, context);
  await process.refunds.resume(invoiceId, context);
  const { invoice } = await endOf(process, scene);
  expect(invoice).toMatchObject({
    status: 'PAID',
    creditNotes: [{ toBalance: 0n, external: 0n, lines: [{ total: 2900n }] }],
    refunds: [{ status: 'SUCCEEDED', amount: 2900n, creditNoteId: note!.id }],
  });
  expect(await ledgerOf(scene)).toEqual([]);
});

import { newId } from '@billing/chassis/ids';
import type { Invoice } from '../invoice/invoice';
import { asInvoice } from '../testing/invoice';
import { asSession } from '../testing/session';
import { aScene, finish, processOn, type Scene, type SceneProcess } from '../testing/scene-store';
import { openReplicas, type Replicas } from '../testing/store';

let replicas: Replicas;
let healthy: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  healthy = processOn(replicas.db);
  await healthy.sessions.ensureIndexes();
});

afterAll(() => replicas.close());

/** A payable session with the given number of failed payments. */
async function aSceneAfter(count: number): Promise<Scene> {
  const scene = await aScene(healthy);
  await finish(healthy, scene);
  const { context, invoiceId } = scene;
  await healthy.invoices.within(context).mutate(invoiceId, (record) => {
    const payments = Array.from({ length: count }, (_, index) => aFailedPayment(index + 1));
    return { state: { ...asInvoice(record), payments }, events: [], commands: [] };
  });
  return scene;
}

function aFailedPayment(number: number): Invoice['payments'][number] {
  return {
    id: newId(),
    amount: 2900n,
    provider: 'sandbox',
    providerPaymentId: undefined,
    status: 'FAILED',
    failureCode: 'card_declined',
    decline: 'SOFT',
    methodId: undefined,
    number,
    origin: 'PAYER',
    retry: undefined,
    callId: newId(),
    recorded: undefined,
    overpayment: 0n,
    createdAt: new Date('2026-03-01T12:00:00.000Z'),
    endedAt: new Date('2026-03-01T12:00:00.000Z'),
  };
}

async function pay({ context, sessionId, customerId }: Scene, number: string) {
  const card = { number, expiry: '12/49', code: '123' };
  const paymentMethodId = await healthy.saver.enterCard({ customerId, card }, context);
  const plan = { paymentMethodId, returnUrl: '' };
  return asSession((await healthy.worker.pay(sessionId, plan, context)).state);
}

test('a session with 100 failed payments can still be paid', async () => {
  const scene = await aSceneAfter(100);
  expect(await pay(scene, '4000000000000002')).toMatchObject({
    phase: 'READY',
    lastPaymentError: { code: 'card_declined' },
  });
  await pay(scene, '4242424242424242');
  await finish(healthy, scene);
  const { status, payments } = await replicas.read(scene.invoiceId, scene.context);
  expect([status, payments.length, payments.at(-1)?.number]).toEqual(['PAID', 100, 102]);
  expect(await replicas.charges(scene.invoiceId)).toBe(2);
});

test('a challenge keeps its number after old payments were dropped from the list', async () => {
  const scene = await aSceneAfter(100);
  expect(await pay(scene, '4000002500003155')).toMatchObject({ challenge: { attempt: 101 } });
  await pay(scene, '4242424242424242');
  const { payments, attempt } = await replicas.read(scene.invoiceId, scene.context);
  expect([payments.length, payments.at(-1)?.number, attempt]).toEqual([100, 102, undefined]);
});

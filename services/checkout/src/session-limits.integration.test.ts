import { newId } from '@billing/chassis/ids';
import type { Invoice } from './invoice';
import { shown } from './testing';
import { made } from './testing-session';
import { aScene, finish, processOn, type Scene, type SceneProcess } from './testing-scene-store';
import { openReplicas, type Replicas } from './testing-store';

let replicas: Replicas;
let healthy: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  healthy = processOn(replicas.db);
  await healthy.sessions.ensureIndexes();
});

afterAll(() => replicas.close());

/** A session that can be paid, of which so many payments have failed. */
async function aSceneAfter(count: number): Promise<Scene> {
  const scene = await aScene(healthy);
  await finish(healthy, scene);
  const { context, invoiceId } = scene;
  await healthy.invoices.within(context).mutate(invoiceId, (record) => {
    const payments = Array.from({ length: count }, () => aFailedPayment());
    return { state: { ...shown(record), payments }, events: [], commands: [] };
  });
  return scene;
}

function aFailedPayment(): Invoice['payments'][number] {
  return {
    id: newId(),
    amount: 2900n,
    provider: 'sandbox',
    providerPaymentId: undefined,
    status: 'FAILED',
    failureCode: 'card_declined',
    decline: 'SOFT',
    methodId: undefined,
    origin: 'PAYER',
    callId: newId(),
    createdAt: new Date('2026-03-01T12:00:00.000Z'),
    endedAt: new Date('2026-03-01T12:00:00.000Z'),
  };
}

async function pay({ context, sessionId, customerId }: Scene, number: string) {
  const card = { number, expiry: '12/49', code: '123' };
  const paymentMethodId = await healthy.keeper.enterCard({ customerId, card }, context);
  const wish = { paymentMethodId, returnUrl: '' };
  return made((await healthy.worker.pay(sessionId, wish, context)).state);
}

const refused = {
  phase: 'READY',
  payment: undefined,
  challenge: undefined,
  lastPaymentError: { code: 'too_many_attempts' },
};

test('a session of which 100 payments have failed is told so, charges nothing and waits for its end', async () => {
  const scene = await aSceneAfter(100);
  expect(await pay(scene, '4242424242424242')).toMatchObject(refused);
  expect(await replicas.charges(scene.invoiceId)).toBe(0);
  await healthy.worker.expireDue(scene.sessionId, {
    ...scene.context,
    now: new Date('2026-03-02T12:00:00.000Z'),
  });
  await finish(healthy, scene);
  const { state } = await healthy.sessions.within(scene.context).get(scene.sessionId);
  expect(made(state).phase).toBe('EXPIRED');
});

test('a challenge that another card cancels counts as one of the 100', async () => {
  const scene = await aSceneAfter(99);
  expect(await pay(scene, '4000002500003155')).toMatchObject({ challenge: { attempt: 100 } });
  expect(await pay(scene, '4242424242424242')).toMatchObject(refused);
  const { payments, attempt } = await replicas.read(scene.invoiceId, scene.context);
  expect(payments).toHaveLength(100);
  expect(attempt).toBeUndefined();
});

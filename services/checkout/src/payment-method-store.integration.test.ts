import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { inParallel, openReplicas, type Replicas } from './testing-store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

test('a step that is repeated late does not bring an older card back', async () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const customerId = newId();
  const older = { customerId, authorizedTransactionId: 'txn_4000000000000341' };
  const newer = { customerId, authorizedTransactionId: 'txn_4242424242424242' };
  await replica.keeper.keepAuthorized(older, context);
  const newerId = await replica.keeper.keepAuthorized(newer, context);
  await replica.keeper.keepAuthorized(older, context);

  expect(await replica.methods.defaultOf(customerId, context)).toBe(newerId);
});

test('the default is the same, in whatever order 20 racing uses are saved', async () => {
  const context = testContext();
  const customerId = newId();
  await inParallel(20, (index) =>
    replicas
      .aReplica()
      .keeper.keepAuthorized(
        { customerId, authorizedTransactionId: `txn_${String(index)}` },
        { ...context, now: new Date(Date.UTC(2026, 0, 1 + ((index * 7) % 20))) },
      ),
  );

  const id = await replica.methods.defaultOf(customerId, context);
  expect((await replica.methods.get(id!, context)).usedAt).toEqual(new Date(Date.UTC(2026, 0, 20)));
});

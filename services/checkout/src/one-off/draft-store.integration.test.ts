import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { MongoNetworkError } from 'mongodb';
import { deleteDraft } from './draft-store';
import { createOneOff } from './one-off-invoice';
import { aNewInvoice } from '../testing/invoice';
import { openReplicas, type Replicas } from '../testing/store';

let replicas: Replicas;

beforeAll(async () => {
  replicas = await openReplicas();
});

afterAll(() => replicas.close());

async function aDraft(context: ReturnType<typeof testContext>): Promise<string> {
  const id = newId();
  const terms = { netDays: undefined, memo: undefined, purchaseOrder: undefined, metadata: {} };
  const created = createOneOff({
    ...aNewInvoice({ id }),
    oneOff: { ...terms, finalizedAt: undefined },
  });
  await replicas.replica.invoices.within(context).insert(created);
  return id;
}

/** The invoices on a connection that breaks after a first deletion. */
function withLostAnswer() {
  const { invoices } = replicas.replica;
  let isLost = false;
  const documents = new Proxy(invoices.documents, {
    get: (target, name) => {
      if (name !== 'deleteOne') return Reflect.get(target, name) as unknown;
      return async (filter: Parameters<typeof target.deleteOne>[0]) => {
        const result = await target.deleteOne(filter);
        if (isLost) return result;
        isLost = true;
        throw new MongoNetworkError('connection closed');
      };
    },
  });
  return { within: invoices.within.bind(invoices), documents };
}

test('a deletion whose answer from the database was lost succeeds', async () => {
  const context = testContext();
  const id = await aDraft(context);
  await deleteDraft(withLostAnswer(), { id }, context);
  expect(await replicas.replica.invoices.within(context).find(id)).toBeUndefined();
});

test('a draft that is not there is not found', async () => {
  const context = testContext();
  const id = await aDraft(context);
  await deleteDraft(replicas.replica.invoices, { id }, context);
  const again = deleteDraft(replicas.replica.invoices, { id }, context);
  await expect(again).rejects.toMatchObject({ kind: 'not_found' });
});

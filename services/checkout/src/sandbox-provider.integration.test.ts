import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type { ChargeOutcome, ProviderSource } from './payment-provider';
import { SandboxProvider } from './sandbox-provider';
import { ensureSandboxIndexes, SandboxStore } from './sandbox-store';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 32 });
  await ensureSandboxIndexes(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function aSandbox() {
  const environmentId = newId();
  const open = () => new SandboxProvider(new SandboxStore(mongo.db, environmentId), environmentId);
  const customerId = newId();
  const charge = (source: ProviderSource, key = newId(), amount = 2900n) =>
    open().charge({ key, amount, currency: 'USD', customerId, source });
  const capture = (authorizedTransactionId: string, key?: string, amount?: bigint) =>
    charge({ kind: 'AUTHORIZATION', authorizedTransactionId }, key, amount);
  const save = async (authorizedTransactionId: string): Promise<ProviderSource> => {
    const method = await open().resolveAuthorization({ authorizedTransactionId, customerId });
    return { kind: 'METHOD', providerMethodId: method!.providerMethodId };
  };
  return { open, customerId, charge, capture, save };
}

function codeOf(outcome: ChargeOutcome): string {
  return outcome.status === 'SUCCEEDED' ? 'ok' : outcome.failureCode;
}

test.each([
  ['txn_4242424242424242', 'ok', ['ok', 'ok']],
  ['any text', 'ok', ['ok', 'ok']],
  ['txn_4000000000000069_x', 'expired_card', ['expired_card', 'expired_card']],
  ['txn_4000000000000341', 'ok', ['card_declined', 'card_declined', 'card_declined']],
  ['txn_4000000000005126', 'ok', ['card_declined', 'card_declined', 'ok', 'ok']],
  ['txn_4000002500003155', 'authentication_required', ['authentication_required']],
])('the card of %s is captured: %s, and charged when saved: %j', async (id, captured, saved) => {
  const sandbox = aSandbox();
  expect(codeOf(await sandbox.capture(id))).toBe(captured);
  const method = await sandbox.save(id);
  const outcomes: string[] = [];
  for (let turn = 0; turn < saved.length; turn += 1) {
    outcomes.push(codeOf(await sandbox.charge(method)));
  }
  expect(outcomes).toEqual(saved);
});

test('20 racing charges under one key are one charge, with one outcome', async () => {
  const sandbox = aSandbox();
  const key = newId();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => sandbox.capture('txn_1', key)),
  );

  expect(new Set(outcomes.map((outcome) => outcome.providerPaymentId)).size).toBe(1);
  expect(await mongo.db.collection('sandboxCharges').countDocuments({ _id: key as never })).toBe(1);
  expect(await sandbox.open().findCharge(key)).toEqual(outcomes[0]);
});

test('of 20 racing charges of a card that fails twice, exactly two fail', async () => {
  const sandbox = aSandbox();
  const method = await sandbox.save('txn_4000000000005126');
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => sandbox.charge(method)));

  expect(outcomes.filter(({ status }) => status === 'FAILED')).toHaveLength(2);
});

test('each save of a card that fails twice does so anew', async () => {
  const sandbox = aSandbox();
  for (const id of ['txn_4000000000005126_a', 'txn_4000000000005126_b']) {
    const method = await sandbox.save(id);
    expect(codeOf(await sandbox.charge(method))).toBe('card_declined');
  }
});

test('a charge that was never made is not found', async () => {
  expect(await aSandbox().open().findCharge(newId())).toBeUndefined();
});

test('a key never stands for two charges', async () => {
  const sandbox = aSandbox();
  const key = newId();
  await sandbox.capture('txn_1', key, 2900n);
  await expect(sandbox.capture('txn_1', key, 2901n)).rejects.toThrow('used for another charge');
});

test('resolving an authorisation twice gives the same method, of a card that it does not know none', async () => {
  const { open, customerId } = aSandbox();
  const resolve = (authorizedTransactionId: string) =>
    open().resolveAuthorization({ authorizedTransactionId, customerId });

  const first = await resolve('txn_5555555555554444');
  expect(first).toMatchObject({ brand: 'mastercard', last4: '4444' });
  expect(await resolve('txn_5555555555554444')).toEqual(first);
  expect(await resolve('txn_4111111111111111')).toBeUndefined();
});

test('the number of a card is in none of its books', async () => {
  const sandbox = aSandbox();
  await sandbox.capture('txn_4000000000000341');
  await sandbox.charge(await sandbox.save('txn_4000000000000341'));

  for (const books of ['sandboxCharges', 'sandboxMethods']) {
    const documents = await mongo.db.collection(books).find().toArray();
    expect(
      JSON.stringify(documents, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    ).not.toContain('4000000000000341');
  }
});

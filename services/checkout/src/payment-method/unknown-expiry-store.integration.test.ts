import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { noProvider } from '../provider/no-provider';
import type { CardExpiry, PaymentProvider } from '../provider/port/payment-provider';
import type { PaymentMethod } from './payment-method';
import { paymentMethodDefinition } from './store';
import { UnknownExpiryStore } from './unknown-expiry-store';

const configuration = testServiceConfiguration('checkout_expiries');
let mongo: MongoConnection;
let methods: AggregateCollection<PaymentMethod>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
  methods = new AggregateCollection(mongo.db, paymentMethodDefinition, { clock: systemClock });
});

beforeEach(async () => {
  await methods.documents.deleteMany({});
  await mongo.db.collection('expiryProgress').deleteMany({});
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const live = testContext();
const liveTenant = { ...live.tenant, live: true };
const never = new AbortController().signal;
const march = { month: 3, year: 2031 };

/** Saves a card as an earlier release did, without its expiry. */
async function anOldCard(card: Partial<PaymentMethod> = {}, isLive = true): Promise<string> {
  const id = newId();
  const times = { usedAt: live.now, savedAt: live.now };
  const fields = { provider: 'test', providerMethodId: `pm_${id}`, brand: 'visa', last4: '4242' };
  const state = { id, customerId: newId(), ...fields, expiry: undefined, ...times, ...card };
  const tenant = { ...liveTenant, live: isLive };
  await methods.within({ ...live, tenant }).insert({ state, events: [], commands: [] });
  if (card.expiry === undefined) {
    const unset = { $unset: { expiry: '', expiresAt: '' } } as object;
    await methods.documents.updateOne({ _id: id }, unset);
  }
  return id;
}

/** An inquiry with a record of what it asks. */
function inquiry(
  answer: (providerMethodId: string) => CardExpiry | undefined,
  hasOlder: () => boolean = () => false,
) {
  const asked: string[] = [];
  const provider: PaymentProvider = {
    ...noProvider,
    name: 'test',
    expiryOf: async (providerMethodId) => {
      asked.push(providerMethodId);
      return answer(providerMethodId);
    },
  };
  const options = { methods, providerOf: () => provider, clock: systemClock };
  const expiries = () =>
    new UnknownExpiryStore(mongo.db, { ...options, hasOlderReplica: async () => hasOlder() });
  return { asked, run: () => expiries().askAll(never) };
}

const expiryOf = async (id: string) =>
  (await methods.within({ ...live, tenant: liveTenant }).get(id)).state.expiry;

test('each live card without an expiry is asked for once', async () => {
  const [known, unknown, gone] = [
    await anOldCard({ expiry: { month: 1, year: 2030 } }),
    await anOldCard(),
    await anOldCard(),
  ];
  await anOldCard({ provider: 'another' });
  await anOldCard({}, false);
  const { asked, run } = inquiry((id) => (id === `pm_${gone}` ? undefined : march));
  await run();
  await run();
  expect(asked.sort()).toEqual([`pm_${unknown}`, `pm_${gone}`].sort());
  expect(await Promise.all([known, unknown, gone].map(expiryOf))).toEqual([
    { month: 1, year: 2030 },
    march,
    undefined,
  ]);
  const document = await methods.documents.findOne({ _id: unknown });
  expect(document).toMatchObject({ expiresAt: new Date('2031-04-01T00:00:00Z'), version: 2 });
});

test('a failure is retried by the next run, which does not ask again for earlier cards', async () => {
  const ids = [await anOldCard(), await anOldCard(), await anOldCard()].sort();
  let isDown = true;
  const { asked, run } = inquiry((id) => {
    if (isDown && id === `pm_${String(ids[1])}`) throw new Error('Provider unavailable');
    return march;
  });
  await expect(run()).rejects.toThrow('Provider unavailable');
  isDown = false;
  await run();
  expect(asked).toEqual([0, 1, 1, 2].map((index) => `pm_${String(ids[index])}`));
  expect(await Promise.all(ids.map(expiryOf))).toEqual([march, march, march]);
});

test('the inquiry waits for the end of older replicas, which save cards without expiry', async () => {
  await anOldCard();
  let hasOlder = true;
  const { asked, run } = inquiry(
    () => march,
    () => hasOlder,
  );
  await run();
  expect(asked).toEqual([]);
  hasOlder = false;
  await run();
  expect(asked).toHaveLength(1);
});

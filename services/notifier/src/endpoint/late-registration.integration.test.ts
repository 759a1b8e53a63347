import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { StoringGate } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { DataKeys } from '@billing/chassis/data-keys';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration, testTenant } from '@billing/chassis/testing';
import { webhookEndpoints } from './endpoint-document';
import { EndpointStore } from './endpoint-store';
import { SlotStore } from './slot-store';
import { testDataKeys } from '../testing/system';

const configuration = testServiceConfiguration('late_registration');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

test('a registration that has too little time left after its slot stores no endpoint', async () => {
  let time = 0;
  const storing = new StoringGate(new Date(5_000), { now: () => new Date(time) });
  const clock = systemClock;
  const definition = webhookEndpoints(new DataKeys(testDataKeys));
  const aggregates = new AggregateCollection(mongo.db, definition, { clock });
  const slots = new SlotStore(mongo.db);
  const slowSlots = Object.assign(Object.create(slots) as SlotStore, {
    take: async (slot: Parameters<SlotStore['take']>[0]) => {
      const isTaken = await slots.take(slot);
      time = 4_000;
      return isTaken;
    },
  });
  const policyOf = () => ({ allowLoopback: true });
  const caller = { tenant: testTenant(), storing };
  const id = newId();
  const registration = {
    url: 'https://example.com/hooks',
    events: [],
    description: undefined,
    active: undefined,
  };
  const late = new EndpointStore({ aggregates, slots: slowSlots, policyOf, clock });
  await expect(late.add(caller, id, registration)).rejects.toMatchObject({
    reason: 'TOO_LATE_TO_STORE',
  });
  const inTime = new EndpointStore({ aggregates, slots, policyOf, clock });
  await expect(inTime.get(caller, id)).rejects.toMatchObject({ kind: 'not_found' });
  const retried = await inTime.add({ tenant: caller.tenant, storing: undefined }, id, registration);
  expect(retried.state.id).toBe(id);
});

import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { DataKeys } from '@billing/chassis/data-keys';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext, testServiceConfiguration } from '@billing/chassis/testing';
import { testDataKeys } from '../testing/system';
import { deleteEndpoint } from './delete-endpoint';
import { webhookEndpoints } from './endpoint-document';
import { EndpointStore } from './endpoint-store';
import { SlotStore } from './slot-store';

const configuration = testServiceConfiguration('delete_endpoint');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

test('a deletion is answered although slot and deliveries cannot be cleared after it', async () => {
  const clock = systemClock;
  const definition = webhookEndpoints(new DataKeys(testDataKeys));
  const aggregates = new AggregateCollection(mongo.db, definition, { clock });
  const slots = new SlotStore(mongo.db);
  const broken = () => Promise.reject(new Error('The database has failed'));
  const brokenSlots = Object.assign(Object.create(slots) as SlotStore, { release: broken });
  const policyOf = () => ({ allowLoopback: true });
  const endpoints = new EndpointStore({ aggregates, slots: brokenSlots, policyOf, clock });
  const context = testContext();
  const id = newId();
  const url = 'https://example.com/hooks';
  const registration = { url, events: [], description: undefined, active: undefined };
  await endpoints.add(context, id, registration);
  const changed: string[] = [];
  const onChange = ({ endpointId }: { readonly endpointId: string }) => changed.push(endpointId);
  const logger = createLogger({ service: 'test', level: 'silent' });
  await deleteEndpoint(id, context, {
    ...{ endpoints, deliveries: { discard: broken } },
    ...{ onChange, logger },
  });
  expect(changed).toEqual([id]);
  await expect(endpoints.get(context, id)).rejects.toMatchObject({ kind: 'not_found' });
});

import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { newId } from '@billing/chassis/ids';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { type Message, messageId, MessageStore } from './message-store';

const configuration = testServiceConfiguration('message-store');

describe('stored messages', () => {
  let mongo: MongoConnection;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  test('lose their data in an erasure, and marks among them stay as they are', async () => {
    const messages = new MessageStore(mongo.db);
    const [environmentId, subscriptionId] = [newId(), newId()];
    const head = { id: 'a', type: 'subscription.renewed', timestamp: 't', restoreCode: '' };
    const stored = [1, 2, 3].map((sequence): Message => {
      const key = { environmentId, subscriptionId, sequence };
      const body = JSON.stringify({ ...head, sequence, data: { email: 'ada@example.com' } });
      const isMark = sequence === 2;
      return {
        ...key,
        _id: messageId(key),
        type: isMark ? 'unreadable' : head.type,
        body: isMark ? '' : body,
        endpointIds: [],
        lastDeliveryIds: {},
        traceparent: null,
        acceptedAt: new Date('2026-06-01T12:00:00Z'),
      };
    });
    await messages.insert(stored);
    const ids = stored.map(({ _id }) => _id);
    await messages.blank(environmentId, ids);
    const found = await messages.findAll(environmentId, ids);
    expect(ids.map((id) => found.get(id)?.body)).toEqual([
      JSON.stringify({ ...orderedHead(1), data: {} }),
      '',
      JSON.stringify({ ...orderedHead(3), data: {} }),
    ]);

    function orderedHead(sequence: number) {
      const { id, type, timestamp, restoreCode } = head;
      return { id, type, timestamp, sequence, restoreCode };
    }
  });
});

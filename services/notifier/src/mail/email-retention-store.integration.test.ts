import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { EmailRetentionStore } from './email-retention-store';

describe('old mails', () => {
  const configuration = testServiceConfiguration('email_retention');
  let mongo: MongoConnection;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'testing' });
  });

  afterAll(async () => {
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  test('are deleted in batches, and younger ones stay', async () => {
    const store = new EmailRetentionStore(mongo.db);
    await store.ensureIndexes();
    const before = new Date('2026-04-01T00:00:00.000Z');
    const madeAt = (ms: number) => new Date(before.getTime() + ms);
    const emails = mongo.db.collection<{ _id: string }>('emails');
    const old = Array.from({ length: 501 }, () => ({
      _id: newId(),
      environmentId: newId(),
      madeAt: madeAt(-1),
    }));
    const young = { _id: newId(), environmentId: newId(), madeAt: before };
    await emails.insertMany([...old, young]);
    expect(await store.deleteBatch(before)).toBe(true);
    expect(await store.deleteBatch(before)).toBe(false);
    const left = await emails.find().toArray();
    expect(left.map(({ _id }) => _id)).toEqual([young._id]);
  });
});

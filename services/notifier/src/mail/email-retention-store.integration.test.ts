import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { deleteBatchMax } from '@billing/chassis/old-documents';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { EmailRetentionStore } from './email-retention-store';

describe('mails that are kept', () => {
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

  test('are deleted in batches once they are old', async () => {
    const store = new EmailRetentionStore(mongo.db, 'emails');
    await store.ensureIndexes();
    const before = new Date('2026-04-01T00:00:00.000Z');
    const madeAt = (ms: number) => new Date(before.getTime() + ms);
    const emails = mongo.db.collection<{ _id: string }>('emails');
    const old = Array.from({ length: deleteBatchMax + 1 }, () => ({
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

  test('wait since the oldest that is live and not sent', async () => {
    const store = new EmailRetentionStore(mongo.db, 'emails');
    const now = new Date('2026-05-01T12:00:00.000Z');
    const aMail = (minutes: number, fields: object) => ({
      _id: newId(),
      environmentId: newId(),
      live: true,
      recoverAt: now,
      madeAt: new Date(now.getTime() - minutes * 60_000),
      ...fields,
    });
    const emails = mongo.db.collection<{ _id: string }>('emails');
    await emails.insertMany([aMail(90, { live: false }), aMail(80, { recoverAt: undefined })]);
    expect(await store.oldestWaitingMs(now)).toBe(0);
    await emails.insertMany([aMail(5, {}), aMail(70, {})]);
    expect(await store.oldestWaitingMs(now)).toBe(70 * 60_000);
  });
});

import { connectMongo } from '../mongo/mongo';
import { checkFingerprints } from './secret-fingerprints';
import { dropTestDatabase, emptyTestDatabase, testServiceConfiguration } from '../testing/testing';

const configuration = testServiceConfiguration('fingerprints');
const refused = 'Invalid configuration:\n  PEPPER: is not the one this data was written with';

let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

beforeEach(() => emptyTestDatabase(mongo));

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const check = (value: string, ...old: string[]) =>
  checkFingerprints(mongo.db, [{ variable: 'PEPPER', value, old }]);

test('the first secret is stored as a fingerprint, and the next start with it succeeds', async () => {
  await check('first');
  await check('first');
  const stored = await mongo.db.collection('secretFingerprints').find().toArray();
  // The first 8 bytes of its SHA-256.
  expect(stored).toEqual([{ _id: 'PEPPER', fingerprint: 'a7937b64b8caa58f' }]);
});

test('another secret is refused, and the stored fingerprint stays', async () => {
  await check('first');
  await expect(check('second')).rejects.toThrow(refused);
  await expect(check('second', 'third')).rejects.toThrow(refused);
  await check('first');
  const [stored] = await mongo.db.collection('secretFingerprints').find().toArray();
  expect(stored).toMatchObject({ fingerprint: 'a7937b64b8caa58f', refusedAt: expect.any(Date) });
});

test('the number of wrong secrets is reported before the refusal', async () => {
  await check('first');
  const counts: number[] = [];
  const secrets = [{ variable: 'PEPPER', value: 'second', old: [] }];
  const recordWrongSecrets = (count: number) => void counts.push(count);
  const checking = checkFingerprints(mongo.db, secrets, { recordWrongSecrets });
  await expect(checking).rejects.toThrow(refused);
  expect(counts).toEqual([1]);
});

test('a secret that replaces the stored one is a rotation, which cannot be reverted', async () => {
  await check('first');
  await check('second', 'first');
  await check('second');
  await expect(check('first')).rejects.toThrow(refused);
  const [stored] = await mongo.db.collection('secretFingerprints').find().toArray();
  expect(stored).toMatchObject({ _id: 'PEPPER', replacedAt: expect.any(Date) as Date });
});

test('replicas that start concurrently agree', async () => {
  await Promise.all([check('first'), check('first'), check('first')]);
  await expect(check('second')).rejects.toThrow(refused);
});

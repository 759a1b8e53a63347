import { connectMongo, ensureIndexes, type MongoConnection } from '@billing/chassis/mongo';
import { checkFingerprints } from '@billing/chassis/secret-fingerprints';
import { type RunningService, Service } from '@billing/chassis/service';
import { SystemStore } from '@billing/chassis/system-store';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  createTestAuthority,
  startTestProxy,
  type TestProxy,
} from '@billing/chassis/testing/network';
import { checksOf } from './checks';
import { readFacts } from './read-facts';

// Its certificates expire within a day.
const { certificate, key, authority } = createTestAuthority().issue();
const configuration = testServiceConfiguration('doctor', {
  GRPC_TLS_CERT: certificate,
  GRPC_TLS_KEY: key,
  GRPC_TLS_CA: authority,
});
const hour = 60 * 60_000;

let mongo: MongoConnection;
let nats: TestProxy;
let running: RunningService;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  nats = await startTestProxy(configuration.NATS_URL);
  nats.cut();
  const service = await Service.open('metering', { ...configuration, NATS_URL: nats.url });
  service.dependOnSecrets([{ variable: 'DATA_KEYS', value: 'first', old: [] }]);
  service.ensureIndexes(() =>
    ensureIndexes(mongo.db.collection('usageSeries'), [{ name: 'foldAt', key: { foldAt: 1 } }]),
  );
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await nats.close();
  await mongo.close();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

async function textsOfFindings(): Promise<Record<string, string>> {
  const { db } = mongo;
  const database = { service: 'metering', db, system: new SystemStore(db) };
  const facts = await readFacts([database], undefined);
  const findings = checksOf(facts).filter(({ ok }) => !ok);
  return Object.fromEntries(findings.map(({ name, text }) => [name, text]));
}

test('a running service that lacks each thing in turn has a finding of each', async () => {
  await eventually(async () => {
    expect(await textsOfFindings()).toEqual({
      stream: 'not there for metering',
      certificates: expect.stringMatching(/^first expires at .* \(metering\)$/),
      'last backup': 'none was made',
    });
  });

  const { db } = mongo;
  const wrong = [{ variable: 'DATA_KEYS', value: 'second', old: [] }];
  await expect(checkFingerprints(db, wrong)).rejects.toThrow('is not the one');
  await db
    .collection('usageSeries')
    .insertMany([
      { foldAt: new Date(Date.now() - 3 * hour) },
      { foldAt: new Date(Date.now() + hour) },
      { foldAt: null },
    ]);
  await db.collection('usageSeries').dropIndex('foldAt');
  await db.collection('eventLog').dropIndex('position');
  expect(await textsOfFindings()).toMatchObject({
    fingerprints: 'metering was started with another DATA_KEYS',
    folding: expect.stringMatching(/^oldest waits for \d+\.\d s \(metering\)$/),
    indexes:
      'missing: metering.eventLog.position, metering.usageSeries.foldAt: run npm run indexes',
  });
});

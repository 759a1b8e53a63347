import { connect } from 'nats';
import { natsAddress } from '../stream/nats-address';
import { connectMongo } from '../mongo/mongo';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from './testing';

describe('the configuration of a service under test', () => {
  test('names a separate database for each service and one stream for all', () => {
    const first = testServiceConfiguration('first');
    const second = testServiceConfiguration('second', { SECOND_ADDRESS: 'unix:/second' });

    expect(first.MONGODB_DATABASE).not.toBe(second.MONGODB_DATABASE);
    expect(first.STREAM_NAME).toBe(second.STREAM_NAME);
    expect(second.SECOND_ADDRESS).toBe('unix:/second');
  });

  test('names data that dropping removes, and dropping it again is harmless', async () => {
    const configuration = testServiceConfiguration('dropped');
    const mongo = await connectMongo({
      uri: configuration.MONGODB_URI,
      database: configuration.MONGODB_DATABASE,
      service: 'testing',
    });
    const nats = await connect(natsAddress(configuration.NATS_URL));
    const { streams } = await nats.jetstreamManager();
    const { STREAM_NAME: name } = configuration;
    await mongo.db.collection('things').insertOne({ name: 'thing' });
    await streams.add({ name, subjects: [`${name}.>`] });

    for (let time = 1; time <= 2; time += 1) {
      await dropTestDatabase(configuration);
      await dropTestStream(configuration);
    }

    expect(await mongo.db.collection('things').countDocuments()).toBe(0);
    await expect(streams.info(name)).rejects.toThrow('stream not found');
    await mongo.close();
    await nats.close();
  });
});

describe('the context of a test', () => {
  test('has a tenant that no other test has', () => {
    expect(testContext().tenant.environmentId).not.toBe(testContext().tenant.environmentId);
  });

  test('uses a given time under a manual clock, otherwise real time', () => {
    const now = new Date('2026-01-31T00:00:00.000Z');

    expect(testContext({ now })).toMatchObject({ now, tenant: { manualClock: true } });
    expect(testContext()).toMatchObject({ tenant: { manualClock: false } });
  });
});

describe('eventually', () => {
  test('waits for an assertion to hold and returns its result', async () => {
    let times = 0;
    const result = await eventually(() => {
      times += 1;
      expect(times).toBeGreaterThan(2);
      return times;
    });
    expect(result).toBe(3);
  });

  test("fails with the assertion's last failure after its timeout", async () => {
    const never = eventually(() => Promise.reject(new Error('not yet')), { timeoutMs: 50 });
    await expect(never).rejects.toThrow('not yet');
  });
});

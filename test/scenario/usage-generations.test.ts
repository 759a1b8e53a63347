import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { putWallClockForward } from '../support/wall-clock';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const RealDate = Date;
const stored = { accepted: 1, duplicates: 0, rejected: [] };
const repeated = { accepted: 0, duplicates: 1, rejected: [] };

// Generations of events: collections of one month each, by time of arrival.
describe('an event that is repeated after its month', () => {
  let system: OwnTestSystem;
  let sandbox: ApiClient;
  let mongo: MongoConnection;
  let use: { customerId: string; meterId: string };
  let putClockBack: () => void = () => undefined;
  // The end of the month after that of the first start.
  let monthEnd: number;
  let sentAt: string;
  let laterAt: string;
  // Longer than a start takes, shorter than events may be ahead.
  const beforeEndMs = 4 * minuteMs;

  /** Restarts the system at a time, and awaits the generation of its month. */
  async function restartAt(time: number): Promise<void> {
    await system.restart(() => {
      putClockBack();
      putClockBack = putWallClockForward(time - RealDate.now());
    });
    const epochs = mongo.db.collection<{ generations: { name: string }[] }>('usageEpoch');
    const month = new RealDate(time).toISOString().slice(0, 7).replace('-', '');
    await eventually(
      async () => {
        const { generations = [] } = (await epochs.findOne({})) ?? {};
        expect(generations.at(-1)?.name).toBe(`usageEvents_${month}`);
      },
      { everyMs: 100 },
    );
  }

  async function ingest(event: object): Promise<any> {
    const events = [{ ...use, ...event }];
    return sandbox.expect(201, sandbox.post('/events/ingest', { events }));
  }

  async function listed(): Promise<string[]> {
    const events = await sandbox.all(`/events?customerId=${use.customerId}`);
    return events.map(({ eventId }) => eventId as string);
  }

  /** Usage of the calendar month. */
  async function used(): Promise<string> {
    const [{ usage }] = await sandbox.expect(
      200,
      sandbox.get(`/customers/${use.customerId}/state`),
    );
    return usage as string;
  }

  beforeAll(async () => {
    system = await startTestSystem();
    ({ sandbox } = system);
    const now = new RealDate();
    monthEnd = RealDate.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1);
    sentAt = new RealDate(monthEnd - beforeEndMs).toISOString();
    laterAt = new RealDate(monthEnd - beforeEndMs + 2 * hourMs).toISOString();
    mongo = await connectMongo({ ...system.databaseOf('metering'), service: 'test' });
    const [customer, meter] = [
      await sandbox.expect(201, sandbox.post('/customers', { email: 'ada@example.com' })),
      await sandbox.expect(201, sandbox.post('/meters', { name: 'Calls' })),
    ];
    use = { customerId: customer.id, meterId: meter.id };
    await restartAt(monthEnd - beforeEndMs);
    expect(await ingest({ eventId: 'without-time' })).toEqual(stored);
    expect(await ingest({ eventId: 'moved', timestamp: sentAt })).toEqual(stored);
    expect(await ingest({ eventId: 'kept', timestamp: sentAt })).toEqual(stored);
  });

  afterAll(async () => {
    await mongo.close();
    await system.stop();
    putClockBack();
  });

  test('A7: without a timestamp, across midnight, counts once', async () => {
    await restartAt(monthEnd + 1_000);
    expect(await ingest({ eventId: 'without-time' })).toEqual(repeated);
    expect(await ingest({ eventId: 'next' })).toEqual(stored);
    expect(await listed()).toEqual(['next', 'without-time', 'moved', 'kept']);
    expect(await used()).toBe('1');
  });

  test('A8: with a later timestamp, a day after, is rejected', async () => {
    await restartAt(monthEnd + dayMs);
    const { rejected } = await ingest({ eventId: 'moved', timestamp: laterAt });
    const error = 'eventId: Was used with other content';
    expect(rejected).toEqual([{ index: 0, eventId: 'moved', error }]);
  });

  test('with a later timestamp, more than seven days after, counts as another event', async () => {
    await restartAt(monthEnd + 8 * dayMs);
    expect(await ingest({ eventId: 'moved', timestamp: laterAt })).toEqual(stored);
    expect(await listed()).toEqual(['moved', 'next', 'without-time', 'moved', 'kept']);
    expect(await used()).toBe('2');
  });

  test('A9: with its timestamp, 34 days later and two generations on, is a duplicate', async () => {
    await restartAt(monthEnd + 34 * dayMs);
    expect(await ingest({ eventId: 'kept', timestamp: sentAt })).toEqual(repeated);
  });

  test('with its timestamp, when that is too old for a new event, is a duplicate', async () => {
    await restartAt(monthEnd + 36 * dayMs);
    expect(await ingest({ eventId: 'kept', timestamp: sentAt })).toEqual(repeated);
    const { rejected } = await ingest({ eventId: 'other', timestamp: sentAt });
    expect(rejected).toMatchObject([{ eventId: 'other' }]);
  });
});

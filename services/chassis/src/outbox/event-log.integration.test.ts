import {
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';
import { systemClock } from '../clock';
import { deleteOldEvents, type EventLog, logEvent, openEventLog } from './event-log';
import { EventMarkStore } from './event-mark-store';
import { InsertBatches } from '../mongo/inserts';
import { earliestIdAt, newId, timeOfId } from '../ids';
import { deleteBatchMax, deleteInBatches } from '../mongo/old-documents';
import { connectPeer, type Peer } from '../grpc/peer';
import { type RunningService, Service } from '../service/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

const withoutTenant = ['readEventLog', 'getEventLogEntries'] as const;
const unreported = { reader: '', passedPosition: '' };

describe('an event log', () => {
  const configuration = testServiceConfiguration('event_log');
  const large = 'x'.repeat(400 * 1024);
  // Larger than a page may be, small enough for a message.
  const huge = 'x'.repeat(3 * 1024 * 1024);
  const envelopes = [...Array.from({ length: 12 }, () => large), huge, huge, 'small'];
  const ids = envelopes.map((_, index) => `${newId()}:${String(index + 1)}`);
  let running: RunningService;
  let peer: Peer<EventLogServiceServer>;

  beforeAll(async () => {
    const service = await Service.open('event_log', configuration);
    service.aggregates({
      collection: 'orders',
      aggregate: 'order',
      resource: 'Order',
      toDocument: () => ({}),
      fromDocument: ({ _id }) => ({ id: _id }),
      encodeEvent: ({ data }) => data,
    });
    const log = openEventLog(service.db);
    running = await service.serve([]);
    for (const [index, envelope] of envelopes.entries()) {
      await logEvent(
        new InsertBatches(log),
        { _id: ids[index] ?? '', envelope, traceparent: null },
        systemClock,
      );
    }
    peer = connectPeer<EventLogServiceServer>(EventLogServiceService, {
      address: running.address,
      service: 'test',
      withoutTenant,
    });
  });

  afterAll(async () => {
    peer.close();
    await running.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  test('is read to its end in pages that fit a message, even with large entries', async () => {
    const read: string[] = [];
    let afterPosition = '';
    for (let page = 1; page <= envelopes.length; page += 1) {
      const request = { ...unreported, afterPosition, insertedAfter: undefined, limit: 100 };
      const { entries, hasMore } = await peer.readEventLog(request, testContext());
      expect(entries.length).toBeGreaterThan(0);
      read.push(...entries.map(({ id }) => id));
      afterPosition = entries.at(-1)?.position ?? '';
      if (!hasMore) break;
    }
    expect(read).toEqual(ids);
  });

  test('reports if a full page is the last one', async () => {
    const all = { ...unreported, afterPosition: '', insertedAfter: undefined };
    const first = await peer.readEventLog({ ...all, limit: 2 }, testContext());
    expect(first).toMatchObject({ entries: [{ id: ids[0] }, { id: ids[1] }], hasMore: true });
    const lastButOne = await peer.readEventLog({ ...all, limit: 1000 }, testContext());
    expect(lastButOne.hasMore).toBe(true);
    const [entry] = (await peer.getEventLogEntries({ ids: ids.slice(-2, -1) }, testContext()))
      .entries;
    const afterPosition = entry?.position ?? '';
    const last = { ...all, afterPosition, limit: 1 };
    expect(await peer.readEventLog(last, testContext())).toMatchObject({
      entries: [{ id: ids.at(-1), envelopeJson: 'small' }],
      hasMore: false,
    });
  });

  test('returns entries by id and omits unknown ids', async () => {
    const wanted = [ids[14] ?? '', `${newId()}:1`, ids[0] ?? ''];
    const { entries, hasMore } = await peer.getEventLogEntries({ ids: wanted }, testContext());
    expect(entries.map(({ id }) => id)).toEqual([ids[0], ids[14]]);
    expect(hasMore).toBe(false);
    const many = await peer.getEventLogEntries({ ids }, testContext());
    expect(many.hasMore).toBe(true);
    expect(many.entries.length).toBeGreaterThan(0);
  });
});

describe('the retention of an event log', () => {
  const configuration = testServiceConfiguration('event_retention');
  const now = systemClock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60_000);
  const environmentId = newId();
  let service: Service;
  let running: RunningService;
  let peer: Peer<EventLogServiceServer>;
  let log: EventLog;

  beforeAll(async () => {
    service = await Service.open('event_retention', configuration);
    log = openEventLog(service.db);
    running = await service.serve([]);
    peer = connectPeer<EventLogServiceServer>(EventLogServiceService, {
      address: running.address,
      service: 'test',
      withoutTenant,
    });
  });

  afterAll(async () => {
    peer.close();
    await running.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  /** Stores entries of an earlier time, one of them as an earlier release did. */
  async function store(prefix: string, insertedAt: Date, count: number): Promise<void> {
    const time = earliestIdAt(insertedAt).slice(0, -12);
    await log.insertMany(
      Array.from({ length: count }, (_, index) => ({
        _id: `${prefix}:${String(index + 1)}`,
        ...(index > 0 && { environmentId }),
        position: `${time}${String(index).padStart(12, '0')}`,
        insertedAt,
        envelope: '{}',
        traceparent: null,
      })),
    );
  }

  const prefixes = async () =>
    new Set((await log.find({}).toArray()).map(({ _id }) => _id.split(':')[0]));
  const marks = () => new EventMarkStore(service.db, systemClock);
  const deleteOld = () => deleteInBatches(() => deleteOldEvents(log, marks(), daysAgo(400)));
  // As by another process: one process records forward moves every ten minutes only.
  const pass = (reader: string, until: Date) => marks().recordPassed(reader, earliestIdAt(until));

  /** Reads the first page as a reader that has passed what was inserted before a time. */
  function read(reader: string, passedBefore?: Date) {
    const passedPosition = passedBefore === undefined ? '' : earliestIdAt(passedBefore);
    const request = { afterPosition: '', insertedAfter: undefined, limit: 1 };
    return peer.readEventLog({ ...request, reader, passedPosition }, testContext());
  }

  test('deletes what every reader has passed, in batches, and reports it', async () => {
    await store('ancient', daysAgo(600), 2 * deleteBatchMax);
    await store('old', daysAgo(410), 3);
    await store('recent', daysAgo(390), 3);
    await deleteOld();
    await pass('quick', daysAgo(1));
    await read('slow');
    await deleteOld();
    expect(await log.countDocuments({})).toBe(2 * deleteBatchMax + 6);
    expect((await read('')).deletedBefore).toBe('');

    await pass('slow', daysAgo(500));
    const stopping = new AbortController();
    await deleteInBatches(() => {
      stopping.abort();
      return deleteOldEvents(log, marks(), daysAgo(400));
    }, stopping.signal);
    expect(await log.countDocuments({})).toBe(deleteBatchMax + 6);
    await deleteOld();
    expect(await prefixes()).toEqual(new Set(['old', 'recent']));
    const { deletedBefore } = await read('');
    expect(timeOfId(deletedBefore)).toEqual(new Date(daysAgo(500).getTime() - 60 * 60_000));
  });

  test('is not moved by a position that is none', async () => {
    const request = { afterPosition: '', insertedAfter: undefined, limit: 1, reader: 'broken' };
    for (const passedPosition of ['zzz', 'Infinity', `${newId()}0`]) {
      const answer = peer.readEventLog({ ...request, passedPosition }, testContext());
      await expect(answer).rejects.toMatchObject({ kind: 'invalid_input' });
    }
    expect(await marks().passed()).not.toContain('zzz');
  });

  test('keeps what a restored reader reads again', async () => {
    await pass('slow', daysAgo(1));
    await read('restored', daysAgo(1));
    await read('restored', daysAgo(450));
    await deleteOld();
    expect(await prefixes()).toEqual(new Set(['old', 'recent']));

    await pass('restored', daysAgo(1));
    await deleteOld();
    expect(await prefixes()).toEqual(new Set(['recent']));
  });
});

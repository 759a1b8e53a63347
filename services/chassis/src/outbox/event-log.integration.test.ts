import {
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';
import { systemClock } from '../clock';
import { logEvent, openEventLog } from './event-log';
import { InsertBatches } from '../mongo/inserts';
import { newId } from '../ids';
import { connectPeer, type Peer } from '../grpc/peer';
import { type RunningService, Service } from '../service/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

const withoutTenant = ['readEventLog', 'getEventLogEntries'] as const;

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
      const request = { afterPosition, insertedAfter: undefined, limit: 100 };
      const { entries, hasMore } = await peer.readEventLog(request, testContext());
      expect(entries.length).toBeGreaterThan(0);
      read.push(...entries.map(({ id }) => id));
      afterPosition = entries.at(-1)?.position ?? '';
      if (!hasMore) break;
    }
    expect(read).toEqual(ids);
  });

  test('reports if a full page is the last one', async () => {
    const all = { afterPosition: '', insertedAfter: undefined };
    const first = await peer.readEventLog({ ...all, limit: 2 }, testContext());
    expect(first).toMatchObject({ entries: [{ id: ids[0] }, { id: ids[1] }], hasMore: true });
    const lastButOne = await peer.readEventLog({ ...all, limit: 1000 }, testContext());
    expect(lastButOne.hasMore).toBe(true);
    const [entry] = (await peer.getEventLogEntries({ ids: ids.slice(-2, -1) }, testContext()))
      .entries;
    const last = { afterPosition: entry?.position ?? '', insertedAfter: undefined, limit: 1 };
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

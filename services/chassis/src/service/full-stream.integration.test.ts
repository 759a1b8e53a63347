import { connect, type NatsConnection } from 'nats';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import type { AggregateDefinition } from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { readOutboxAges } from './backlog';
import { systemClock } from '../clock';
import { openEventLog } from '../outbox/event-log';
import { newId } from '../ids';
import { natsAddress } from '../stream/nats-address';
import { connectPeer, type Peer } from '../grpc/peer';
import { type RunningService, Service } from './service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '../testing/testing';

interface Order {
  readonly id: string;
}

const definition: AggregateDefinition<Order> = {
  collection: 'orders',
  aggregate: 'order',
  resource: 'Order',
  toDocument: () => ({}),
  fromDocument: ({ _id }) => ({ id: _id }),
  encodeEvent: ({ data }) => data,
};

const defaults = testServiceConfiguration('full_stream');
const configuration = {
  ...defaults,
  STREAM_NAME: `${defaults.STREAM_NAME}_FULL`,
  STREAM_MAX_BYTES: 1_000_000,
};

describe('a service', () => {
  const shipped: string[] = [];
  const tenant = testTenant();
  let observer: NatsConnection;
  let service: Service;
  let running: RunningService;
  let orders: AggregateCollection<Order>;
  let calls: Peer<SystemServiceServer>;

  beforeAll(async () => {
    observer = await connect(natsAddress(configuration.NATS_URL));
    service = await Service.open('test', configuration);
    orders = service.aggregates(definition);
    orders.handle({
      commands: {
        ship: (_payload, { aggregateId }) => {
          shipped.push(aggregateId);
          return Promise.resolve();
        },
      },
    });
    running = await service.serve([]);
    const { address } = running;
    calls = connectPeer<SystemServiceServer>(SystemServiceService, { address, service: 'test' });
  });

  afterAll(async () => {
    calls.close();
    await running.stop();
    await observer.close();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  /** Makes the server refuse every further event by its size, or accept all again. */
  async function refuseEvents(isRefusing: boolean): Promise<void> {
    const { streams } = await observer.jetstreamManager();
    await streams.update(configuration.STREAM_NAME, { max_msg_size: isRefusing ? 10 : -1 });
  }

  async function streamState() {
    const { streams } = await observer.jetstreamManager();
    return (await streams.info(configuration.STREAM_NAME)).state;
  }

  async function place(note = ''): Promise<string> {
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert({
      state: { id },
      events: [{ type: 'order.placed', data: { note } }],
      commands: [{ type: 'ship', payload: {} }],
    });
    return id;
  }

  const loggedCount = (ids: readonly string[]) =>
    openEventLog(service.db).countDocuments({ _id: { $in: ids.map((id) => `${id}:1`) } });

  const kindsOf = async (id: string) =>
    (await orders.documents.findOne({ _id: id }))?.outbox.map(({ kind }) => kind);

  test('whose stream refuses events stores and runs commands, keeps events in their outboxes, and recovers', async () => {
    const first = await place();
    await eventually(async () => {
      expect(await kindsOf(first)).toEqual([]);
    });
    await refuseEvents(true);
    const ids = await Promise.all(Array.from({ length: 5 }, () => place()));
    await eventually(async () => {
      for (const id of ids) expect(await kindsOf(id)).toEqual(['event']);
    });
    expect(shipped).toEqual(expect.arrayContaining(ids));
    // The notifier reads the log and callers get answers. The alert BillingOutboxWaits watches the
    // age.
    expect(await loggedCount(ids)).toBe(ids.length);
    await eventually(async () => {
      const { outboxAgeSeconds } = await calls.getStatus({}, testContext());
      expect(outboxAgeSeconds).toBeGreaterThan(0);
    });
    const ages = await readOutboxAges([orders as never], systemClock);
    expect(ages).toEqual([
      { value: 0, attributes: { 'billing.aggregate': 'order', 'billing.live': true } },
      {
        value: expect.any(Number),
        attributes: { 'billing.aggregate': 'order', 'billing.live': false },
      },
    ]);
    expect(ages[1]?.value).toBeGreaterThan(0);

    await refuseEvents(false);
    await eventually(async () => {
      for (const id of ids) expect(await kindsOf(id)).toEqual([]);
    });
    expect((await streamState()).messages).toBe(1 + ids.length);
  });

  test('whose stream is full keeps all events in the log, and none in an outbox', async () => {
    const note = 'x'.repeat(100_000);
    const ids = await Promise.all(Array.from({ length: 20 }, () => place(note)));
    await eventually(async () => {
      for (const id of ids) expect(await kindsOf(id)).toEqual([]);
    });
    expect((await streamState()).messages).toBeLessThan(ids.length);
    expect(await loggedCount(ids)).toBe(ids.length);
  });
});

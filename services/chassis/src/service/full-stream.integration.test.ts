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
const configuration = { ...defaults, STREAM_NAME: `${defaults.STREAM_NAME}_FULL` };

describe('a service whose stream is full', () => {
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

  /** Makes the server refuse every further event, or accept all again. */
  async function setFull(isFull: boolean): Promise<void> {
    const { streams } = await observer.jetstreamManager();
    await streams.update(configuration.STREAM_NAME, { max_msgs: isFull ? 1 : -1 });
  }

  async function place(): Promise<string> {
    const id = newId();
    await orders.within({ tenant, now: systemClock.now() }).insert({
      state: { id },
      events: [{ type: 'order.placed', data: {} }],
      commands: [{ type: 'ship', payload: {} }],
    });
    return id;
  }

  const kindsOf = async (id: string) =>
    (await orders.documents.findOne({ _id: id }))?.outbox.map(({ kind }) => kind);

  test('stores and runs commands, keeps events in their outboxes, and recovers without a restart', async () => {
    const first = await place();
    await eventually(async () => {
      expect(await kindsOf(first)).toEqual([]);
    });
    await setFull(true);
    const ids = await Promise.all(Array.from({ length: 5 }, place));
    await eventually(async () => {
      for (const id of ids) expect(await kindsOf(id)).toEqual(['event']);
    });
    expect(shipped).toEqual(expect.arrayContaining(ids));
    // The notifier reads the log and callers get answers. The alert BillingOutboxWaits watches the
    // age.
    const logged = await openEventLog(service.db).countDocuments({
      _id: { $in: ids.map((id) => `${id}:1`) },
    });
    expect(logged).toBe(ids.length);
    const { outboxAgeSeconds } = await calls.getStatus({}, testContext());
    expect(outboxAgeSeconds).toBeGreaterThan(0);
    const [age] = await readOutboxAges([orders as never], systemClock);
    expect(age?.value).toBeGreaterThan(0);

    await setFull(false);
    await eventually(async () => {
      for (const id of ids) expect(await kindsOf(id)).toEqual([]);
    });
    const { streams } = await observer.jetstreamManager();
    const { state } = await streams.info(configuration.STREAM_NAME);
    expect(state.messages).toBe(1 + ids.length);
  });
});

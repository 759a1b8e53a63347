import { type CommandStartedEvent, MongoClient } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testTenant } from '@billing/chassis/testing';
import type { Delivery } from '../delivery/delivery';
import { deliveryId, DeliveryStore } from '../delivery/delivery-store';
import { messageId, type MessageKey, MessageStore } from '../message/message-store';
import type { NotifierOverrides } from '../service';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

// A long queue of one subscription is sent one by one.
const patience = { timeoutMs: 240_000 };
const minuteMs = 60_000;

/**
 * The messages that are due before a notifier starts, with their deliveries to one endpoint, in the
 * order of their numbers.
 */
interface Backlog {
  readonly keys: readonly MessageKey[];
  /** The differences from a delivery without an attempt. */
  readonly changes?: (key: MessageKey) => Partial<Delivery>;
}

describe('due deliveries at the start of a notifier', () => {
  let system: TestSystem;
  let tenant: Tenant;
  let endpointId: string;

  beforeEach(async () => {
    system = await startSystem('due');
    tenant = testTenant();
    const notifier = await system.startNotifier();
    ({ id: endpointId } = await notifier.register(tenant, '/due'));
    await notifier.stop();
  });

  afterEach(() => system.close());

  const keysOf = (subscriptionId: string, count: number): MessageKey[] =>
    Array.from({ length: count }, (_, index) => ({
      environmentId: tenant.environmentId,
      subscriptionId,
      sequence: index + 1,
    }));

  async function store({ keys, changes = () => ({}) }: Backlog): Promise<void> {
    const { environmentId } = tenant;
    const acceptedAt = new Date(Date.now() - minuteMs);
    const idOf = (key: MessageKey) => deliveryId(environmentId, messageId(key), endpointId);
    const deliveries = keys.map((key): Delivery => {
      const previous = { ...key, sequence: key.sequence - 1 };
      return {
        ...key,
        _id: idOf(key),
        endpointId,
        messageId: messageId(key),
        previousId: key.sequence === 1 ? null : idOf(previous),
        status: 'PENDING',
        dueAt: acceptedAt,
        claim: null,
        failures: 0,
        createdAt: acceptedAt,
        ...changes(key),
      };
    });
    await new DeliveryStore(system.mongo.db).insert(deliveries);
    await new MessageStore(system.mongo.db).insert(
      keys.map((key) => ({
        ...key,
        _id: messageId(key),
        type: 'subscription.renewed',
        body: JSON.stringify({ sequence: key.sequence, data: key }),
        endpointIds: [endpointId],
        lastDeliveryIds: { [endpointId]: idOf(key) },
        traceparent: null,
        acceptedAt,
      })),
    );
  }

  const delivered = (count: number) =>
    eventually(async () => {
      const deliveries = system.mongo.db.collection<Delivery>('deliveries');
      const filter = { environmentId: tenant.environmentId, status: 'DELIVERED' } as const;
      expect(await deliveries.countDocuments(filter)).toBe(count);
    }, patience);

  test('are found behind a long queue of blocked ones, even where their sender has died', async () => {
    const keys = keysOf(newId(), 90);
    // The lease ended after the others became due, which all wait for it.
    const orphaned = { claim: newId(), dueAt: new Date(Date.now() - 1_000) };
    await store({ keys, changes: ({ sequence }) => (sequence === 1 ? orphaned : {}) });
    await system.startNotifier();

    await delivered(keys.length);
    const sequences = system.receiver.receivedAt('/due').map(({ body }) => body.sequence);
    expect(sequences).toEqual(keys.map(({ sequence }) => sequence));
  });

  test('cost four writes for a hundred webhooks', async () => {
    const keys = Array.from({ length: 100 }, () => keysOf(newId(), 1)).flat();
    await store({ keys });
    // Outcomes are written together once a batch is full; even a busy machine counts as fast.
    const writes = await writesOf(() => startPatiently({ outcomeBatchDelayMs: 10 * minuteMs }));

    await delivered(keys.length);
    expect(writes.map(({ name, documents }) => `${name} ${String(documents)}`).sort()).toEqual([
      // The first claim asks for as many as can be sent concurrently, because the speed of the
      // endpoint is not known yet.
      'insert attempts 100',
      'update deliveries 1',
      'update deliveries 1',
      'update deliveries 100',
      // The first success of an endpoint is recorded once.
      'update endpointHealth 1',
    ]);
  });

  function startPatiently(overrides: NotifierOverrides): Promise<RunningNotifier> {
    Object.assign(system.config, { DELIVERY_LEASE_MS: 10 * minuteMs });
    return system.startNotifier(overrides);
  }
});

interface WriteCommand {
  readonly name: string;
  /** Number of inserted documents, or of statements of an update. */
  readonly documents: number;
}

const sending = new Set(['attempts', 'deliveries', 'endpointHealth', 'messages']);

/** Records the write commands about deliveries of clients that `open` creates. */
async function writesOf(open: () => Promise<unknown>): Promise<readonly WriteCommand[]> {
  const writes: WriteCommand[] = [];
  const note = ({ commandName, command }: CommandStartedEvent) => {
    const collection = String(command[commandName]);
    const items = (command.documents ?? command.updates) as readonly unknown[] | undefined;
    if (items === undefined || !sending.has(collection)) return;
    writes.push({ name: `${commandName} ${collection}`, documents: items.length });
  };
  const { prototype } = MongoClient;
  const connect: MongoClient['connect'] = Reflect.get(prototype, 'connect');
  prototype.connect = function (this: MongoClient) {
    // A setter missing in the driver's types.
    Object.assign(this, { monitorCommands: true });
    this.on('commandStarted', note);
    return connect.call(this);
  };
  try {
    await open();
  } finally {
    prototype.connect = connect;
  }
  return writes;
}

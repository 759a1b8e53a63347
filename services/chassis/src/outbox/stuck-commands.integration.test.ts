import type { Collection, Db } from 'mongodb';
import {
  type StuckCommand,
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { type AggregateCollection, unfinishedPass } from '../aggregates/aggregate-collection';
import { type CallContext, StoringGate } from '../grpc/call-context';
import { systemClock } from '../clock';
import { newId } from '../ids';
import { connectPeer, type Peer } from '../grpc/peer';
import { createLogger } from '../telemetry/logging';
import { type RunningService, Service } from '../service/service';
import { eraseFailureTexts } from './event-blanking';
import { StuckCommands } from './stuck-commands';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

interface Order {
  readonly id: string;
}

const configuration = testServiceConfiguration('stuck');
const shipped: string[] = [];
const broken = new Set<string>();
// Promises that commands wait for while they run.
const gates = new Map<string, Promise<void>>();

let service: Service;
let running: RunningService;
let peer: Peer<SystemServiceServer>;
let orders: AggregateCollection<Order>;

beforeAll(async () => {
  service = await Service.open('stuck', configuration);
  orders = service.aggregates<Order>({
    collection: 'orders',
    aggregate: 'order',
    resource: 'Order',
    toDocument: () => ({}),
    fromDocument: ({ _id: id }) => ({ id }),
  });
  orders.handle({
    unskippable: { count: 'This command cannot be skipped: its receiver waits for it' },
    commands: {
      count: () => Promise.reject(new Error('Counter is broken')),
      ship: async ({ parcel }: { parcel: number }, { aggregateId }) => {
        const name = `${aggregateId}/${String(parcel)}`;
        await gates.get(name);
        if (broken.has(name)) throw new Error('Parcel 4242424242424242 is too heavy');
        shipped.push(name);
      },
    },
  });
  running = await service.serve([]);
  peer = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    withoutTenant: ['getStatus'],
  });
});

afterAll(async () => {
  peer.close();
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const counted = (id: string): Transition<Order> => ({
  state: { id },
  events: [],
  commands: [{ type: 'count', payload: {} }],
});

const placed = (id: string): Transition<Order> => ({
  state: { id },
  events: [],
  commands: [1, 2].map((parcel) => ({ type: 'ship', payload: { parcel } })),
});

/** Creates an order whose first parcel cannot be shipped, and waits until that is recorded. */
async function stuckOrder(begin = placed): Promise<{
  id: string;
  context: CallContext;
  stuck: StuckCommand;
}> {
  const context = testContext();
  const id = newId();
  broken.add(`${id}/1`);
  await orders.within(context).insert(begin(id));
  const stuck = await eventually(async () => {
    const [first] = await listed(context);
    if (first === undefined) throw new Error('Nothing is stuck yet');
    return first;
  });
  return { id, context, stuck };
}

async function listed(context: CallContext): Promise<StuckCommand[]> {
  return (await peer.listStuckCommands({}, { ...context, ...testContextTimes() })).commands;
}

const testContextTimes = () => {
  const { deadline, signal } = testContext();
  return { deadline, signal };
};

const shippedOf = (id: string) => shipped.filter((name) => name.startsWith(id));

async function expectEmptied(id: string): Promise<void> {
  await eventually(async () => {
    const document = await orders.documents.findOne({ _id: id });
    expect(document).toMatchObject({ outbox: [], pendingSince: null });
  });
}

describe('a command that keeps failing', () => {
  // All are stuck at the same time: each fails for many seconds before that.
  let stuckOrders: Awaited<ReturnType<typeof stuckOrder>>[];

  beforeAll(async () => {
    const begins = [placed, placed, placed, placed, counted];
    stuckOrders = await Promise.all(begins.map((begin) => stuckOrder(begin)));
  });

  function stuckOrderAt(index: number) {
    const order = stuckOrders[index];
    if (order === undefined) throw new Error('There is no such order');
    return order;
  }

  test('is listed only for its organization, without secrets', async () => {
    const { id, context, stuck } = stuckOrderAt(0);
    expect(stuck).toEqual({
      id: `orders:${id}:1`,
      environmentId: context.tenant.environmentId,
      aggregate: 'order',
      aggregateId: id,
      type: 'ship',
      attempts: expect.any(Number),
      lastError: 'Parcel [redacted] is too heavy',
      since: expect.any(Date),
    });
    expect(stuck.attempts).toBeGreaterThanOrEqual(8);
    expect(stuck.since?.getTime()).toBeLessThan(systemClock.now().getTime());
    expect(shippedOf(id)).toEqual([]);

    const stranger = testContext();
    expect(await listed(stranger)).toEqual([]);
    const unknown = { kind: 'not_found', reason: 'STUCK_COMMAND_NOT_FOUND' };
    await expect(peer.skipStuckCommand({ id: stuck.id }, stranger)).rejects.toMatchObject(unknown);
    await expect(peer.retryStuckCommand({ id: stuck.id }, stranger)).rejects.toMatchObject(unknown);
  });

  test('is retried immediately on request, and removed from the list after a success', async () => {
    const { id, stuck, context } = stuckOrderAt(1);
    broken.delete(`${id}/1`);
    await peer.retryStuckCommand({ id: stuck.id }, { ...context, ...testContextTimes() });
    await expectEmptied(id);
    expect(shippedOf(id)).toEqual([`${id}/1`, `${id}/2`]);
    await eventually(async () => {
      expect(await listed(context)).toEqual([]);
    });
  });

  test('is skipped once, and the next one runs', async () => {
    const { id, stuck, context } = stuckOrderAt(2);
    const skip = () =>
      peer.skipStuckCommand({ id: stuck.id }, { ...context, ...testContextTimes() });
    const outcomes = await Promise.allSettled([skip(), skip(), skip()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expectEmptied(id);
    expect(shippedOf(id)).toEqual([`${id}/2`]);
    await eventually(async () => {
      expect(await listed(context)).toEqual([]);
    });
  });

  test('is not skipped if it has run in the meantime, and neither is the next one', async () => {
    const { id, stuck, context } = stuckOrderAt(3);
    let open = (): void => undefined;
    gates.set(`${id}/2`, new Promise((resolve) => (open = resolve)));
    broken.delete(`${id}/1`);
    await peer.retryStuckCommand({ id: stuck.id }, { ...context, ...testContextTimes() });
    await eventually(() => {
      expect(shippedOf(id)).toEqual([`${id}/1`]);
    });
    await peer
      .skipStuckCommand({ id: stuck.id }, { ...context, ...testContextTimes() })
      .catch(() => undefined);
    open();
    await expectEmptied(id);
    expect(shippedOf(id)).toEqual([`${id}/1`, `${id}/2`]);
  });

  test('is not skipped if its receiver waits for it', async () => {
    const { id, stuck, context } = stuckOrderAt(4);
    await expect(
      peer.skipStuckCommand({ id: stuck.id }, { ...context, ...testContextTimes() }),
    ).rejects.toMatchObject({
      kind: 'failed_precondition',
      reason: 'COMMAND_NOT_SKIPPABLE',
      message: 'This command cannot be skipped: its receiver waits for it',
    });
    const document = await orders.documents.findOne({ _id: id });
    expect(document?.outbox).toMatchObject([{ kind: 'command', type: 'count' }]);
    expect(await listed(context)).toMatchObject([{ id: stuck.id }]);
  });
});

/** Inserts an order whose first command waits until it is released. */
async function waitingOrder(context: CallContext) {
  const id = newId();
  // The relay of the service waits with it, and records no failures of its own.
  const waiting = Promise.withResolvers<undefined>();
  gates.set(`${id}/1`, waiting.promise);
  await orders.within(context).insert(placed(id));
  const document = await orders.documents.findOne({ _id: id });
  const entry = document?.outbox[0];
  if (document === null || entry === undefined) throw new Error('No command is waiting');
  const release = () => {
    waiting.resolve(undefined);
  };
  return { command: { collection: orders as never, document, entry }, release };
}

/** A database whose collections delete nothing. */
function withoutDeletions(db: Db): Db {
  const failing = (collection: Collection) =>
    new Proxy(collection, {
      get: (target, name) => {
        if (name === 'deleteOne') return () => Promise.reject(new Error('The database has failed'));
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  return new Proxy(db, {
    get: (target, name) =>
      name === 'collection'
        ? (collection: string) => failing(target.collection(collection))
        : (Reflect.get(target, name, target) as unknown),
  });
}

describe('transient failures', () => {
  const start = new Date('2026-01-01T00:00:00.000Z');
  const minutesLater = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
  const unavailable = new DomainError('unavailable', 'RESULT_TOO_EARLY', 'Service unavailable');
  let now = start;

  /**
   * Fails a command 20 times at each of the instants, and counts the recorded commands after each.
   */
  async function recordedAfter(error: Error, instants: readonly Date[]): Promise<number[]> {
    const context = testContext();
    const { command, release } = await waitingOrder(context);
    const stuckCommands = new StuckCommands(service.db, [orders as never], {
      clock: { now: () => now },
      logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
      runNow: () => undefined,
    });
    const counts: number[] = [];
    for (const instant of instants) {
      now = instant;
      for (let failure = 0; failure < 20; failure += 1) {
        await stuckCommands.recordFailure(command, error);
      }
      counts.push((await stuckCommands.list(context)).length);
    }
    release();
    return counts;
  }

  test('make a command stuck only after 5 minutes', async () => {
    const instants = [start, minutesLater(4), minutesLater(5)];
    expect(await recordedAfter(unavailable, instants)).toEqual([0, 0, 1]);
  });

  test('never include an unfinished pass', async () => {
    expect(await recordedAfter(unfinishedPass(), [start, minutesLater(60)])).toEqual([0, 0]);
  });
});

test('a skip is refused if it comes too late, and needs no deletion of its record', async () => {
  const context = testContext();
  const { command, release } = await waitingOrder(context);
  const { _id: orderId } = command.document;
  const run: string[] = [];
  const stuckCommands = new StuckCommands(withoutDeletions(service.db), [orders as never], {
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
    runNow: (_collection, id) => run.push(id),
  });
  for (let failure = 0; failure < 20; failure += 1) {
    await stuckCommands.recordFailure(command, new Error('Counter is broken'));
  }
  const waiting = async () => {
    const document = await orders.documents.findOne({ _id: orderId });
    return document?.outbox.map(({ sequence }) => String(sequence));
  };
  const id = `orders:${orderId}:1`;
  const late = { ...context, storing: new StoringGate(new Date(0), systemClock) };
  await expect(stuckCommands.skip(id, late)).rejects.toMatchObject({ reason: 'TOO_LATE_TO_STORE' });
  expect(await waiting()).toEqual(['1', '2']);
  await stuckCommands.skip(id, context);
  expect([await waiting(), run]).toEqual([['2'], [orderId]]);
  release();
});

test('the errors of the commands of a deleted customer are erased, and no others', async () => {
  const context = testContext();
  const { environmentId } = context.tenant;
  const [leaver, other] = [newId(), newId()];
  const stuck = service.db.collection<{ _id: string; lastError: string }>('stuckCommands');
  for (const id of [leaver, other]) {
    await orders.within(context).insert({ state: { id }, events: [], commands: [] });
    const failed = { environmentId, aggregateId: id, lastError: 'Ada is unknown' };
    await stuck.insertOne({ _id: id, ...failed });
  }
  const filter = { environmentId, _id: leaver };
  await eraseFailureTexts(service.db, { documents: orders.documents, filter });
  expect(await stuck.findOne({ _id: leaver })).toMatchObject({ lastError: '' });
  expect(await stuck.findOne({ _id: other })).toMatchObject({ lastError: 'Ada is unknown' });
});

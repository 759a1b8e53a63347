import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import { startReplica } from '../support/replica';
import { isNightly } from '../support/rounds';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { startTraceCollector, type TraceCollector } from './trace-collector';

type Mongo = Awaited<ReturnType<typeof connectMongo>>;
type Stored = Readonly<Record<string, unknown>> & { readonly _id: string };

const dayMs = 24 * 60 * 60 * 1_000;
const due = 120;
// While subscriptions become due, one replica of a number is killed at each interval.
const killing = isNightly
  ? { replicas: 4, kills: 30, duePerSecond: 10 }
  : { replicas: 2, kills: 1, duePerSecond: 10 };
const killEveryMs = 10_000;
// Counts of replicas; the first one belongs to the system.
const steps = isNightly ? [1, 2, 4] : [1, 2];
const slices = 64;
const spanNames = [/^wake subscription$/, /^command billPeriod$/, /^publish .*\.renewed$/];
const batchesMax = 3;
const slow = { everyMs: 500 };

describe('replicas of the subscription service', () => {
  let collector: TraceCollector;
  let system: OwnTestSystem;
  let subscriptions: Mongo;
  let checkout: Mongo;
  let template: Stored;
  const replicas: ChildProcess[] = [];

  beforeAll(async () => {
    collector = await startTraceCollector();
    system = await startTestSystem({ processes: true, otlpEndpoint: collector.endpoint });
    const open = (service: string) => connectMongo({ ...system.databaseOf(service), service });
    subscriptions = await open('subscription');
    checkout = await open('checkout');
    template = await createTemplate();
  });

  afterAll(async () => {
    for (const replica of replicas.splice(0)) {
      replica.kill('SIGTERM');
      await once(replica, 'exit');
    }
    await subscriptions.close();
    await checkout.close();
    await system.stop();
    await collector.close();
  });

  const stored = () => subscriptions.db.collection<Stored>('subscriptions');

  /** Returns a subscription as stored. */
  async function createTemplate(): Promise<Stored> {
    const { sandbox } = system;
    const create = (path: string, body: object) => sandbox.expect(201, sandbox.post(path, body));
    const customer = await create('/customers', { email: 'a@example.com' });
    const plan = { name: 'Monthly', type: 'FLAT', currency: 'USD', amount: 2900 };
    const product = await create('/products', { ...plan, billingInterval: 'MONTHLY' });
    const { id } = await create('/subscriptions', {
      customerId: customer.id,
      productId: product.id,
    });
    return eventually(async () => {
      const document = await stored().findOne({ _id: id as string, pendingSince: null });
      if (document === null) throw new Error('The outbox is not empty');
      return document;
    }, slow);
  }

  /** Stores subscriptions whose second period begins at one instant; returns their ids. */
  async function storeDue(
    inMs: number,
    {
      count = due,
      sliceOf = sliceOfId,
    }: { count?: number; sliceOf?: (id: string, index: number) => number | undefined } = {},
  ): Promise<string[]> {
    const nowMs = performance.timeOrigin + performance.now();
    const start = new Date(nowMs - 32 * dayMs);
    const dueAt = new Date(nowMs + inMs);
    const ids = Array.from({ length: count }, () => newId());
    const times = { createdAt: start, startAt: start, anchor: start, dueAt };
    await stored().insertMany(
      ids.map((_id, index) => ({
        ...template,
        ...times,
        itemId: newId(),
        eventSequence: 0,
        slice: sliceOf(_id, index),
        _id,
      })),
    );
    return ids;
  }

  async function untilRenewed(ids: readonly string[]): Promise<void> {
    await eventually(async () => {
      const isDone = { _id: { $in: [...ids] }, eventSequence: { $gt: 0 }, pendingSince: null };
      expect(await stored().countDocuments(isDone)).toBe(ids.length);
    }, slow);
    const invoices = await checkout.db
      .collection<Stored>('invoices')
      .find({ subscriptionId: { $in: [...ids] } })
      .toArray();
    expect(invoices.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
      [...ids].toSorted(),
    );
  }

  /** Waits until as many replicas count up their heartbeats, and have had time to read of it. */
  async function untilShared(count: number): Promise<void> {
    const heartbeats = subscriptions.db.collection<Stored>('replicas');
    await eventually(async () => {
      const before = await heartbeats.find().toArray();
      expect(before).toHaveLength(count);
      await new Promise((done) => setTimeout(done, 5_000));
      const after = await heartbeats.find().toArray();
      const beats = new Map(before.map(({ _id, beat }) => [_id, Number(beat)]));
      expect(after.every(({ _id, beat }) => Number(beat) > (beats.get(_id) ?? Infinity))).toBe(
        true,
      );
    }, slow);
  }

  function spansOf(ids: readonly string[], name: RegExp): number {
    return collector.spans.filter((span) => {
      const { 'billing.aggregate_id': id, 'error.type': failure } = span.attributes;
      // A try that failed is repeated.
      return failure === undefined && name.test(span.name) && ids.includes(String(id));
    }).length;
  }

  /**
   * Expects one of each span for each renewal. A batch that the collector does not accept in time
   * is lost: then others are renewed.
   */
  async function expectOnce(count: number): Promise<void> {
    for (let batchesLeft = batchesMax; ; batchesLeft -= 1) {
      const ids = await storeDue(5_000);
      await untilRenewed(ids);
      const seen = () => spanNames.map((name) => spansOf(ids, name));
      try {
        await eventually(() => {
          expect([count, ...seen()]).toEqual([count, ...spanNames.map(() => due)]);
        }, slow);
        return;
      } catch (error) {
        if (batchesLeft === 1 || seen().some((spans) => spans > due)) throw error;
      }
    }
  }

  test(`renew ${String(due)} subscriptions due at one instant once, and take over from one that is killed`, async () => {
    for (const count of steps) {
      while (replicas.length + 1 < count) replicas.push(startReplica(system.pids().subscription));
      await untilShared(count);
      await expectOnce(count);
    }

    const killed = replicas.pop();
    killed?.kill('SIGKILL');
    await untilRenewed(await storeDue(0));

    // Wrong and missing slices cost time at most.
    await untilRenewed(
      await storeDue(0, {
        sliceOf: (_id, index) => (index % 2 === 0 ? undefined : index % slices),
      }),
    );
  }, 1_800_000);

  test(`bill each period once while one of ${String(killing.replicas)} is killed every 10 s`, async () => {
    const startMissing = () => {
      while (replicas.length + 1 < killing.replicas) {
        replicas.push(startReplica(system.pids().subscription));
      }
    };
    startMissing();
    await untilShared(killing.replicas);
    const batches: string[][] = [];
    for (let kill = 1; kill <= killing.kills; kill += 1) {
      for (let second = 1; second <= killEveryMs / 1_000; second += 1) {
        batches.push(await storeDue(0, { count: killing.duePerSecond }));
        await sleep(1_000);
      }
      // The oldest first; each time another takes its place.
      const killed = replicas.shift();
      killed?.kill('SIGKILL');
      startMissing();
    }
    for (const ids of batches) await untilRenewed(ids);
  }, 1_800_000);
});

function sliceOfId(id: string): number {
  return createHash('sha256').update(id).digest().readUInt8(0) % slices;
}

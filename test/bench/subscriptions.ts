import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import type { Bench } from './report/bench';
import { compare, runOf, type Side } from './figures/comparison';
import { createResource } from './stage/api';
import { anyDocumentOf, documentsOf, resetWithIndexesOf } from './stage/floor-data';
import type { Stage, StagedSystem } from './stage/stage';
import { runJob } from './stage/program';

const inFlight = 16;
// Creations per second of a run's maximum duration.
const countPerSecond = 25;
const floorDatabase = 'bench_floor_subscriptions';
const pollMs = 50;
const timeoutMs = 120_000;
/** The documents that a creation writes, and the service that owns them. */
const written = {
  customers: 'customer',
  subscriptions: 'subscription',
  eventLog: 'subscription',
  invoices: 'checkout',
  invoiceNumbers: 'checkout',
  sandboxAuthorizations: 'checkout',
  sandboxMethods: 'checkout',
  sandboxCharges: 'checkout',
  paymentMethods: 'checkout',
  payers: 'checkout',
  subscriptionMethods: 'checkout',
  messages: 'notifier',
} as const;
const outboxes = ['subscriptions', 'invoices', 'payers'] as const;

/**
 * P15: subscriptions of new customers, each with its paid first invoice, against the same documents
 * written by the driver in one process. The rate counts until every invoice is PAID, CPU until no
 * outbox has work left.
 */
export const subscriptions: Bench = {
  name: 'subscriptions',
  title: 'POST /v1/subscriptions with an authorized payment',
  run: async (stage, effort) => {
    const system = await stage.system();
    const client = new MongoClient(stage.infrastructure.mongodbUri, { promoteLongs: false });
    await client.connect();
    try {
      const ours = await ourSide(system, client);
      const comparison = await compare({
        ...effort,
        id: 'P15',
        title: 'POST subscription until PAID : its documents by the driver, 16 in flight',
        unit: 'subscriptions/s',
        ours,
        floor: await floorSide(stage, system, client),
        demand: { atLeast: 0.5 },
        sharedPids: () => stage.sharedPids(),
        log: stage.log,
      });
      return { comparisons: [comparison] };
    } finally {
      await client.close();
    }
  },
};

async function ourSide(system: StagedSystem, client: MongoClient): Promise<Side> {
  const { id: productId } = await createResource(system, '/products', {
    name: 'Monthly',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900,
    billingInterval: 'MONTHLY',
  });
  const create = (customerId: string) =>
    createResource(system, '/subscriptions', {
      customerId,
      productId,
      authorizedTransactionId: `txn_4242424242424242_${newId()}`,
    });
  // The floor copies the documents of one.
  await create(await newCustomer(system));
  await untilQuiet(system, client);
  let customerIds: readonly string[] = [];
  return {
    name: 'billing',
    pids: system.pids,
    prepare: async (seconds) => {
      const count = countIn(seconds);
      customerIds = await inParallel(Array(count).keys(), () => newCustomer(system));
    },
    run: async () => {
      const startedMs = performance.now();
      const ids = await inParallel(customerIds.values(), async (id) => (await create(id)).id);
      await untilPaid(system, client, ids);
      const run = runOf(ids.length, (performance.now() - startedMs) / 1_000);
      await untilQuiet(system, client);
      return run;
    },
  };
}

async function floorSide(stage: Stage, { site }: StagedSystem, client: MongoClient): Promise<Side> {
  const child = await stage.program('floors/subscriptions', {
    MONGODB_URI: stage.infrastructure.mongodbUri,
  });
  for (const [name, service] of Object.entries(written)) {
    const system = documentsOf(client, `${site.databasePrefix}_${service}`, name);
    const floor = documentsOf(client, floorDatabase, name);
    await resetWithIndexesOf(system, floor);
    await floor.insertOne(await anyDocumentOf(system));
  }
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => runOf(countIn(seconds), await createdBy(child, countIn(seconds))),
  };
}

async function createdBy(child: ChildProcess, count: number): Promise<number> {
  const { seconds: taken } = await runJob<{ seconds: number }>(child, {
    database: floorDatabase,
    count,
  });
  return taken;
}

function newCustomer(system: StagedSystem): Promise<string> {
  return createResource(system, '/customers', { email: 'bench@example.com' }).then(({ id }) => id);
}

async function inParallel<T>(
  queue: IterableIterator<T>,
  act: (item: T) => Promise<string>,
): Promise<string[]> {
  const results: string[] = [];
  const worker = async () => {
    for (const item of queue) results.push(await act(item));
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return results;
}

/** Creation answers once its first charge has an outcome; here all of them succeed. */
async function untilPaid(
  { site }: StagedSystem,
  client: MongoClient,
  ids: readonly string[],
): Promise<void> {
  const invoices = documentsOf(client, `${site.databasePrefix}_checkout`, 'invoices');
  const paid = { subscriptionId: { $in: [...ids] }, status: 'PAID' };
  await until(async () => (await invoices.countDocuments(paid)) === ids.length);
}

async function untilQuiet({ site }: StagedSystem, client: MongoClient): Promise<void> {
  const pending = { pendingSince: { $gt: new Date(0) } };
  for (const name of outboxes) {
    const documents = documentsOf(client, `${site.databasePrefix}_${written[name]}`, name);
    await until(async () => (await documents.findOne(pending)) === null);
  }
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await isReached())) {
    if (performance.now() - startedMs > timeoutMs) throw new Error('Creations did not finish');
    await sleep(pollMs);
  }
}

function countIn(seconds: number): number {
  return Math.round(seconds * countPerSecond);
}

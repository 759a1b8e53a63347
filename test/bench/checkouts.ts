import { MongoClient } from 'mongodb';
import { createResource } from './stage/api';
import type { Bench } from './report/bench';
import { compare, runOf, type Side } from './figures/comparison';
import { anyDocumentOf, documentsOf, resetWithIndexesOf } from './stage/floor-data';
import type { Stage, StagedSystem } from './stage/stage';
import { runJob, type Work } from './stage/program';

const inFlight = 16;
const floorDatabase = 'bench_floor';
// The documents that the floor reads and writes, and the service that owns them.
const copied = {
  customers: 'customer',
  products: 'catalog',
  checkoutSessions: 'checkout',
  invoices: 'checkout',
} as const;

/** P6: POST /v1/checkout against the same reads and writes in one process without HTTP. */
export const checkouts: Bench = {
  name: 'checkouts',
  title: 'POST /v1/checkout',
  run: async (stage, effort) => {
    const system = await stage.system();
    const ours = await ourSide(stage, system);
    const comparison = await compare({
      ...effort,
      id: 'P6',
      title: 'POST checkout : 2 finds + 3 writes by the driver, 16 in flight',
      unit: 'sessions/s',
      ours,
      floor: await floorSide(stage, system),
      demand: { atLeast: 0.4 },
      sharedPids: () => stage.sharedPids(),
      log: stage.log,
    });
    return { comparisons: [comparison] };
  },
};

async function ourSide(stage: Stage, system: StagedSystem): Promise<Side> {
  const customer = await createResource(system, '/customers', { email: 'payer@example.com' });
  const product = await createResource(system, '/products', {
    name: 'Pro',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900,
    billingInterval: 'MONTHLY',
  });
  const order = { customerId: customer.id, productId: product.id };
  // The floor copies one document of each.
  await createResource(system, '/checkout', order);
  const request = { method: 'POST', path: '/v1/checkout', body: JSON.stringify(order) } as const;
  const headers = {
    Authorization: `Bearer ${system.keys.testKey}`,
    'Content-Type': 'application/json',
  };
  const job = { url: system.gatewayUrl, connections: inFlight, headers, requests: [request] };
  return {
    name: 'billing',
    pids: system.pids,
    run: async (seconds) => {
      const { answered, perSecond, latencyMs, cpuShare } = await stage.generator.run({
        ...job,
        seconds,
      });
      return { operations: answered, perSecond, latencyMs, generatorCpu: cpuShare };
    },
  };
}

async function floorSide(stage: Stage, { site }: StagedSystem): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const client = new MongoClient(mongodbUri, { promoteLongs: false });
  await client.connect();
  for (const [name, service] of Object.entries(copied)) {
    const system = documentsOf(client, `${site.databasePrefix}_${service}`, name);
    const floor = documentsOf(client, floorDatabase, name);
    await resetWithIndexesOf(system, floor);
    await floor.insertOne(await anyDocumentOf(system));
  }
  await client.close();
  const child = await stage.program('floors/checkouts', { MONGODB_URI: mongodbUri });
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => {
      const { operations, seconds: taken } = await runJob<Work>(child, {
        database: floorDatabase,
        seconds,
        inFlight,
      });
      return runOf(operations, taken);
    },
  };
}

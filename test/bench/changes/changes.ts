import { MongoClient } from 'mongodb';
import type { Bench, FigureTable } from '../report/bench';
import type { Stage, StagedSystem } from '../stage/stage';
import { runJob } from '../stage/program';
import { compareCosts, type CostSide } from './costs';
import { duringMigrations, migrationWrites } from './migrations';
import { PaidSubscriptions } from './paid-subscriptions';

const inFlight = 16;
// Changes and renewals for each second of a run.
const countPerSecond = 25;
const previewCostMax = { atMost: 2 };
const changeCostMax = { atMost: 1.5 };

/**
 * C1 to C4: previews and changes of seats by the processor time of all processes, and price
 * migrations by their writes and by what they take from renewals.
 */
export const changes: Bench = {
  name: 'changes',
  title: 'previews and changes of seats, and price migrations',
  run: async (stage, effort) => {
    const writes = await migrationWrites(stage, effort);
    const system = await stage.system();
    const client = new MongoClient(stage.infrastructure.mongodbUri, { promoteLongs: false });
    await client.connect();
    try {
      const subscriptions = await PaidSubscriptions.open(system, client);
      const options = { stage, system, effort };
      const figures: FigureTable[] = [
        await compareCosts({
          ...options,
          title: 'C1: POST preview of a seat : GET of the subscription and 4 reads of neighbors',
          ours: await previewSide(stage, subscriptions),
          floor: await readSide(stage, subscriptions),
          demand: previewCostMax,
        }),
        await compareCosts({
          ...options,
          title: 'C2: a seat more NOW, paid first : a renewal, paid; until the receipt is stored',
          ours: changeSide(subscriptions),
          floor: renewalSide(subscriptions),
          demand: changeCostMax,
        }),
        writes,
      ];
      return { figures, comparisons: [await duringMigrations(stage, effort)] };
    } finally {
      await client.close();
    }
  },
};

async function previewSide(stage: Stage, subscriptions: PaidSubscriptions): Promise<CostSide> {
  const { system } = subscriptions;
  const previewed = await subscriptions.create(inFlight);
  const requests = previewed.map(({ id }) => ({
    method: 'POST' as const,
    path: '/v1/previews',
    body: JSON.stringify({ kind: 'CHANGE', subscriptionId: id, change: { quantity: 3 } }),
  }));
  return { run: (seconds) => answeredBy(stage, system, { requests, seconds }) };
}

/**
 * The baseline: a GET of the subscription, and for each also the four calls that its preview makes
 * to neighbors, by a process of its own. In place of the quotes it reads the invoice.
 */
async function readSide(stage: Stage, subscriptions: PaidSubscriptions): Promise<CostSide> {
  const { system } = subscriptions;
  const read = await subscriptions.create(inFlight);
  const requests = read.map(({ id }) => ({
    method: 'GET' as const,
    path: `/v1/subscriptions/${id}`,
  }));
  const child = await stage.program('floors/neighbor-reads', {
    CUSTOMER_ADDRESS: system.addresses.customer,
    CATALOG_ADDRESS: system.addresses.catalog,
    CHECKOUT_ADDRESS: system.addresses.checkout,
  });
  const tenant = await subscriptions.tenant();
  return {
    pids: () => ({ caller: child.pid ?? 0 }),
    run: async (seconds) => {
      const count = await answeredBy(stage, system, { requests, seconds });
      await runJob(child, { count, inFlight, tenant, read });
      return count;
    },
  };
}

async function answeredBy(
  stage: Stage,
  { gatewayUrl, keys }: StagedSystem,
  {
    requests,
    seconds,
  }: {
    requests: readonly { method: 'GET' | 'POST'; path: string; body?: string }[];
    seconds: number;
  },
): Promise<number> {
  const headers = { Authorization: `Bearer ${keys.testKey}`, 'Content-Type': 'application/json' };
  const job = { url: gatewayUrl, connections: inFlight, headers, requests, seconds };
  return (await stage.generator.run(job)).answered;
}

function changeSide(subscriptions: PaidSubscriptions): CostSide {
  let prepared: Awaited<ReturnType<PaidSubscriptions['create']>> = [];
  return {
    prepare: async (seconds) => {
      prepared = await subscriptions.create(Math.round(seconds * countPerSecond));
    },
    run: async () => {
      await subscriptions.addSeats(prepared);
      return prepared.length;
    },
  };
}

function renewalSide(subscriptions: PaidSubscriptions): CostSide {
  let prepared: Awaited<ReturnType<PaidSubscriptions['create']>> = [];
  return {
    prepare: async (seconds) => {
      prepared = await subscriptions.create(Math.round(seconds * countPerSecond));
      await subscriptions.makeDue(prepared);
    },
    run: async () => {
      await subscriptions.untilRenewed(prepared);
      return prepared.length;
    },
  };
}

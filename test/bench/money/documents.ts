import { MongoClient } from 'mongodb';
import type { Bench } from '../report/bench';
import { compare, runOf, type Comparison, type Side } from '../figures/comparison';
import {
  collectionsOf,
  type MoneyOperationName,
  moneyWrites,
  ownerOf,
} from '../floors/money-writes';
import {
  anyDocumentOf,
  type Documents,
  documentsOf,
  resetWithIndexesOf,
} from '../stage/floor-data';
import type { Stage, StagedSystem } from '../stage/stage';
import { type Creations, inFlight, MoneySeed } from './money-seed';
import { until, untilQuiet } from './quiet';
import { countWrites } from './writes';
import { runJob } from '../stage/program';

// Operations per second of a run's maximum duration.
const countPerSecond = 60;
const warmUpOperations = 500;
const titles: Readonly<Record<MoneyOperationName, string>> = {
  opening: 'POST invoice, opened and paid by a balance',
  payment: 'POST payment of an invoice by transfer',
  creditNote: 'POST credit note of an invoice, to a balance',
};

/**
 * M3: documents about money, each against the writes of the same documents by the driver in one
 * process. The rate counts until the last answer, CPU until all events are announced.
 */
export const moneyDocuments: Bench = {
  name: 'money-documents',
  title: 'openings with a balance, external payments and credit notes',
  run: async (stage, effort) => {
    const counts = [await countWrites(stage)];
    const system = await stage.system();
    const client = new MongoClient(stage.infrastructure.mongodbUri, { promoteLongs: false });
    await client.connect();
    try {
      const seed = await MoneySeed.open(system, client);
      const comparisons: Comparison[] = [];
      for (const operation of Object.keys(moneyWrites) as MoneyOperationName[]) {
        const measured = { stage, system, client, seed, operation };
        const ours = ourSide(measured);
        // The floor copies the documents of one.
        await seed.send(await seed.prepare(operation, 1));
        await untilQuiet(seed.invoices);
        const comparison = await compare({
          ...effort,
          id: 'M3',
          title: `${titles[operation]} : its documents by the driver, 16 in flight`,
          unit: 'operations/s',
          ours,
          floor: await floorSide(measured),
          demand: { atLeast: 0.4 },
          warmUpOperations,
          sharedPids: () => stage.sharedPids(),
          log: stage.log,
        });
        comparisons.push(comparison);
      }
      return { comparisons, counts };
    } finally {
      await client.close();
    }
  },
};

interface Measured {
  readonly stage: Stage;
  readonly system: StagedSystem;
  readonly client: MongoClient;
  readonly seed: MoneySeed;
  readonly operation: MoneyOperationName;
}

function ourSide({ system, seed, operation }: Measured): Side {
  let creations: readonly Creations[] = [];
  return {
    name: 'billing',
    pids: system.pids,
    prepare: async (seconds) => {
      creations = await seed.prepare(operation, countIn(seconds));
    },
    run: async () => {
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      const operations = await seed.send(creations);
      const taken = (performance.now() - startMs) / 1_000;
      const { user, system: kernel } = process.cpuUsage(startCpu);
      await untilQuiet(seed.invoices);
      const generatorCpu = (user + kernel) / 1e6 / taken;
      return { operations, perSecond: operations / taken, generatorCpu };
    },
  };
}

async function floorSide({ stage, system, client, operation }: Measured): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const database = `bench_floor_${operation}`;
  for (const name of collectionsOf(operation)) {
    const ofSystem = documentsOf(client, `${system.site.databasePrefix}_${ownerOf[name]}`, name);
    const floor = documentsOf(client, database, name);
    await resetWithIndexesOf(ofSystem, floor);
    await floor.insertOne(await latestOf(ofSystem));
  }
  const child = await stage.program('floors/money', { MONGODB_URI: mongodbUri });
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => {
      const operations = countIn(seconds);
      const { seconds: taken } = await runJob<{ seconds: number }>(child, {
        database,
        operation,
        count: operations,
        inFlight,
      });
      return runOf(operations, taken);
    },
  };
}

/**
 * The document that was written last; those without such a time are alike. Messages follow their
 * events.
 */
async function latestOf(documents: Documents) {
  await until(async () => (await documents.findOne({})) !== null);
  const [latest] = await documents.find().sort({ updatedAt: -1 }).limit(1).toArray();
  return latest ?? anyDocumentOf(documents);
}

function countIn(seconds: number): number {
  return Math.round(seconds * countPerSecond);
}

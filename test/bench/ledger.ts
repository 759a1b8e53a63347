import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Bench } from './report/bench';
import { compare, type Side } from './figures/comparison';
import { createResource } from './stage/api';
import { type Documents, documentsOf } from './stage/floor-data';
import type { StagedSystem } from './stage/stage';

const inFlight = 4;
const insertedAtOnce = 5_000;

/** M1: the time of a new entry by the number of entries that the customer's balance has. */
export const ledger: Bench = {
  name: 'ledger',
  title: 'POST /v1/balance-entries',
  run: async (stage, effort) => {
    const system = await stage.system();
    const client = new MongoClient(system.site.mongodbUri, { useBigInt64: true });
    await client.connect();
    try {
      const side = (entriesCount: number) => {
        stage.log(`M1: preparing balances of ${String(entriesCount)} entries`);
        return entrySide({ system, client, entriesCount });
      };
      const [few, many] = [1_000, effort.isQuick ? 10_000 : 100_000];
      const taken = await compare({
        ...effort,
        id: 'M1',
        title: `a new entry of a balance, 4 in flight, ${String(many)} entries : ${String(few)}`,
        unit: 'entries/s',
        ours: await side(many),
        floor: await side(few),
        demand: { atLeast: 1 / 1.3 },
        sharedPids: () => stage.sharedPids(),
        log: stage.log,
      });
      return { comparisons: [taken] };
    } finally {
      await client.close();
    }
  },
};

/** Four entries at a time, each of another customer's balance of the given size. */
async function entrySide({
  system,
  client,
  entriesCount,
}: {
  readonly system: StagedSystem;
  readonly client: MongoClient;
  readonly entriesCount: number;
}): Promise<Side> {
  const ofCheckout = (name: string) =>
    documentsOf(client, `${system.site.databasePrefix}_checkout`, name);
  const stores = { balances: ofCheckout('balances'), entries: ofCheckout('balanceEntries') };
  const post = (customerId: string) =>
    createResource(system, '/balance-entries', {
      ...{ customerId, currency: 'USD', amount: 1, description: 'Goodwill' },
    });
  const customerIds: string[] = [];
  for (let index = 0; index < inFlight; index += 1) {
    const { id } = await createResource(system, '/customers', { email: 'ada@example.com' });
    await post(id);
    await fill(stores, { customerId: id, entriesCount });
    customerIds.push(id);
  }
  return {
    name: `${String(entriesCount)} entries`,
    pids: system.pids,
    run: async (seconds) => {
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      const elapsed = () => (performance.now() - startMs) / 1_000;
      let operations = 0;
      const worker = async (customerId: string) => {
        while (elapsed() < seconds) {
          await post(customerId);
          operations += 1;
        }
      };
      await Promise.all(customerIds.map(worker));
      const { user, system: kernel } = process.cpuUsage(startCpu);
      const taken = elapsed();
      const generatorCpu = (user + kernel) / 1e6 / taken;
      return { operations, perSecond: operations / taken, generatorCpu };
    },
  };
}

/** Gives a balance of one entry more entries, each of one cent. */
async function fill(
  { balances, entries }: { readonly balances: Documents; readonly entries: Documents },
  { customerId, entriesCount }: { readonly customerId: string; readonly entriesCount: number },
): Promise<void> {
  let first = await entries.findOne({ customerId });
  // The relay copies the entry after the call.
  while (first === null) first = await entries.findOne({ customerId });
  for (let from = 2; from <= entriesCount; from += insertedAtOnce) {
    const length = Math.min(insertedAtOnce, entriesCount - from + 1);
    const more = Array.from({ length }, (_one, index) => {
      const sequence = BigInt(from + index);
      return { ...first, _id: randomUUID(), sequence, balanceAfter: sequence };
    });
    await entries.insertMany(more, { ordered: false });
  }
  const $set = { sequence: BigInt(entriesCount), balance: BigInt(entriesCount) };
  // A service may still know its last write: the version tells that the balance has changed.
  await balances.updateOne({ customerId }, { $set, $inc: { version: 1 } });
}

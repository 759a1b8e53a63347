import { randomUUID } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import type { Bench } from './report/bench';
import { compare, type Comparison, type Side } from './figures/comparison';
import type { Demand } from './figures/statistics';
import { createResource } from './stage/api';
import { documentsOf } from './stage/floor-data';
import type { StagedSystem } from './stage/stage';

const inFlight = 8;
// A run ends early when all accounts have reached their size.
const accountsPerSide = 24;
const minuteMs = 60_000;

/** The size of an account before its next grants. */
interface AccountSize {
  readonly name: string;
  /** Grants with units left. */
  readonly usable?: number;
  /** Grants that a settled period has used up. */
  readonly usedUp?: number;
}

/** U12: the time of a new grant by the number of grants that its account has. */
export const creditGrants: Bench = {
  name: 'credits',
  title: 'POST /v1/customers/:id/meter-credits',
  run: async (stage, effort) => {
    const system = await stage.system();
    const client = new MongoClient(system.site.mongodbUri, { useBigInt64: true });
    await client.connect();
    try {
      const accounts = documentsOf(
        client,
        `${system.site.databasePrefix}_metering`,
        'creditAccounts',
      );
      const side = (size: AccountSize) => grantSide({ system, accounts, size });
      const few = { name: 'the 10th', usable: 10 - inFlight };
      const many = { name: 'the 1000th', usable: 1_000 - inFlight };
      const usedUp = { name: '10,000 used up', usedUp: 10_000 };
      const taken: Comparison[] = [];
      for (const [ours, floor, demand] of [
        [many, few, { atLeast: 1 / 2 }],
        [usedUp, { name: 'none used up' }, { atLeast: 1 / 3 }],
      ] satisfies [AccountSize, AccountSize, Demand][]) {
        stage.log(`U12: preparing accounts, ${ours.name}`);
        taken.push(
          await compare({
            ...effort,
            id: 'U12',
            title: `a new grant, 8 in flight, ${ours.name} : ${floor.name}`,
            unit: 'grants/s',
            ours: await side(ours),
            floor: await side(floor),
            demand,
            sharedPids: () => stage.sharedPids(),
            log: stage.log,
          }),
        );
      }
      return { comparisons: taken };
    } finally {
      await client.close();
    }
  },
};

type Accounts = ReturnType<typeof documentsOf>;

/** Eight grants at a time to one account after another, each of the given size. */
async function grantSide({
  system,
  accounts,
  size,
}: {
  readonly system: StagedSystem;
  readonly accounts: Accounts;
  readonly size: AccountSize;
}): Promise<Side> {
  const meter = await createResource(system, '/meters', { name: size.name });
  const documents: Document[] = [];
  for (let index = 0; index < accountsPerSide; index += 1) {
    documents.push(await anAccount({ system, accounts, size, meterId: meter.id }));
  }
  const give = ({ customerId }: Document) =>
    createResource(system, `/customers/${String(customerId)}/meter-credits`, {
      meterId: meter.id,
      amount: '1',
    });
  return {
    name: size.name,
    pids: system.pids,
    prepare: async () => {
      for (const one of documents) {
        // A service may still know its last write: the version tells that the account has changed.
        const { version } = (await accounts.findOne({ _id: one._id })) ?? one;
        const reset = { ...one, version: Number(version) + 1 };
        await accounts.replaceOne({ _id: one._id }, reset);
      }
    },
    run: async (seconds) => {
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      const elapsed = () => (performance.now() - startMs) / 1_000;
      let operations = 0;
      for (const one of documents) {
        await Promise.all(Array.from({ length: inFlight }, () => give(one)));
        operations += inFlight;
        if (elapsed() >= seconds) break;
      }
      const { user, system: kernel } = process.cpuUsage(startCpu);
      const taken = elapsed();
      const generatorCpu = (user + kernel) / 1e6 / taken;
      return { operations, perSecond: operations / taken, generatorCpu };
    },
  };
}

async function anAccount({
  system,
  accounts,
  size: { usable = 0, usedUp = 0 },
  meterId,
}: {
  readonly system: StagedSystem;
  readonly accounts: Accounts;
  readonly size: AccountSize;
  readonly meterId: string;
}): Promise<Document> {
  const customer = await createResource(system, '/customers', { email: 'ada@example.com' });
  const path = `/customers/${customer.id}/meter-credits`;
  await createResource(system, path, { meterId, amount: '1' });
  const account = await accounts.findOne({ customerId: customer.id });
  if (account === null) throw new Error('No account was created');
  const [first] = account.grants as Document[];
  const grants = Array.from({ length: usable + usedUp }, (_one, index) => {
    const at = new Date((first?.createdAt as Date).getTime() - index * minuteMs);
    return { ...first, id: randomUUID(), effectiveAt: at, createdAt: at };
  });
  const uses = grants.slice(usable).map(({ id }) => ({ grantId: id, quantity: '1' }));
  const settled = { period: `${randomUUID()}:0`, settlement: 'period:0', quantity: String(usedUp) };
  return {
    ...account,
    grants,
    openGrants: grants.length,
    consumptions: uses.length === 0 ? [] : [{ ...settled, uses }],
  };
}

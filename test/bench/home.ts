import { systemClock } from '@billing/chassis/clock';
import { localOrganization } from '@billing/local/first-keys';
import { OperatorClient } from '../support/operator-client';
import type { Bench, Effort, FigureTable } from './report/bench';
import { measureReads, readColumns, readRow } from './stage/reads';
import { RenewalSeed } from './renewals/seed';
import { storeHistory, storeRecentInvoices } from './revenue-seed';
import type { Stage, StagedSystem } from './stage/stage';

const rows = { quick: 20_000, usual: 100_000 };
const serverWorkMsMax = 300;
const warmUps = 10;
const reads = { quick: 50, usual: 200 };
// The services aggregate settled data once a minute.
const cachedWithinMs = 300_000;
const pauseMs = 500;

/**
 * Server cost of the dashboard's first page, at 100,000 subscriptions with two years of history.
 */
export const home: Bench = {
  name: 'home',
  title: "the dashboard's first page at 100,000 subscriptions",
  run: async (stage, effort) => {
    const system = await stage.system();
    const seed = await RenewalSeed.open(system);
    try {
      const count = effort.isQuick ? rows.quick : rows.usual;
      stage.log(`home: storing ${String(count)} subscriptions with a history`);
      await storeHistory(seed, { count, now: systemClock.now() });
      await storeRecentInvoices(seed, { count, now: systemClock.now() });
      const owner = await OperatorClient.owner({ ...system, organization: localOrganization });
      const operator = owner.in(seed.template.environmentId as string);
      return { figures: [await measure({ stage, system, seed, operator, count, effort })] };
    } finally {
      await seed.close();
    }
  },
};

interface Measured {
  readonly stage: Stage;
  readonly system: StagedSystem;
  readonly seed: RenewalSeed;
  readonly operator: OperatorClient;
  readonly count: number;
  readonly effort: Effort;
}

async function measure(measured: Measured): Promise<FigureTable> {
  const { stage, system, seed, operator, count, effort } = measured;
  const times = effort.isQuick ? reads.quick : reads.usual;
  // The history was stored without events. The first request may exceed its limit, but starts the
  // aggregation for all later ones.
  await operator.api('GET', '/reports/overview');
  stage.log('home: waiting for the aggregation of past data');
  await untilCached(seed);
  const table: string[][] = [];
  for (const path of ['/reports/overview', '/reports/today', '/reports/revenue?months=13']) {
    for (let read = 0; read < warmUps; read += 1) await operator.api('GET', path);
    const reads = await measureReads({ stage, system, times }, async () => {
      const { status } = await operator.api('GET', path);
      if (status !== 200) throw new Error(`${path} answered ${String(status)}`);
    });
    table.push(readRow(path, reads));
  }
  return {
    title: `GET /dashboard/api/… at ${String(count)} subscriptions, one by one; at most ${String(serverWorkMsMax)} ms of server work`,
    columns: readColumns,
    rows: table,
  };
}

async function untilCached(seed: RenewalSeed): Promise<void> {
  const end = performance.now() + cachedWithinMs;
  while ((await seed.revenueTotals.countDocuments({})) === 0) {
    if (performance.now() > end) throw new Error('The services did not aggregate past data');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, Effort, Findings } from './report/bench';
import { changes } from './changes/changes';
import { checkouts } from './checkouts';
import { creditGrants } from './credit-grants';
import { exportsOfInvoices } from './exports';
import { growth } from './renewals/growth';
import { home } from './home';
import { ingest } from './ingest/ingest';
import { openHourReads } from './ingest/state-reads';
import { ledger } from './ledger';
import { moneyDocuments } from './money/documents';
import { taxReport } from './money/tax-report';
import { noisyCallers } from './noisy-callers';
import { feed } from './messages/feed';
import { mails } from './messages/mails';
import { productReads } from './product-reads';
import { pages } from './pages';
import { moneyRenewals } from './renewals/money';
import { renewalCosts } from './renewals/costs';
import { renewals } from './renewals/renewals';
import { readCircumstances, toText, writeJson } from './report/report';
import { routeCosts } from './route-costs';
import { search } from './search';
import { Stage } from './stage/stage';
import { subscriptions } from './subscriptions';
import { webhooks } from './webhooks';

const benches: readonly Bench[] = [
  routeCosts,
  renewalCosts,
  productReads,
  checkouts,
  subscriptions,
  renewals,
  changes,
  growth,
  home,
  pages,
  search,
  ingest,
  openHourReads,
  creditGrants,
  ledger,
  moneyRenewals,
  moneyDocuments,
  taxReport,
  webhooks,
  feed,
  mails,
  exportsOfInvoices,
  noisyCallers,
];

const efforts = {
  quick: { pairs: 5, seconds: 2, warmUpSeconds: 3, isQuick: true },
  usual: { pairs: 7, seconds: 6, warmUpSeconds: 4, isQuick: false },
} satisfies Record<string, Effort>;

/** Below `test/dist/bench`. */
const root = join(__dirname, '../../..');
const results = join(root, 'test/bench/results');

function log(line: string): void {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

const usage = `Usage: npm run bench -- [--quick] [--profile] [name …]
  --quick     shorter and fewer runs, under three minutes in all
  --profile   write a CPU profile of every process next to the results
  --replicas  numbers of processes, such as 1,2,4: compares renewals by as many of them
Names: ${benches.map(({ name, title }) => `${name} (${title})`).join(', ')}`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      replicas: { type: 'string' },
    },
  });
  const unknown = positionals.filter((asked) => !benches.some(({ name }) => name === asked));
  if (unknown.length > 0) throw new Error(`No benchmark ${unknown.join(', ')}\n${usage}`);
  const chosen = benches.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const replicas = replicasOf(values.replicas, positionals);
  const effort: Effort = { ...(values.quick ? efforts.quick : efforts.usual), replicas };
  const [loadBefore = 0] = loadavg();
  const profileDir = values.profile ? join(results, 'profiles') : undefined;
  const stage = await Stage.open({ root, log, profileDir });
  try {
    const findings: Findings[] = [];
    for (const bench of chosen) findings.push(await bench.run(stage, effort));
    const servers = stage.infrastructure.describe;
    const circumstances = readCircumstances({ root, servers, effort, loadBefore });
    process.stdout.write(`\n${toText(findings, circumstances)}`);
    log(`Written to ${writeJson(results, findings, circumstances)}`);
  } finally {
    log('Stopping');
    await stage.close();
  }
}

/** Returns the numbers of processes in a list that begins with 1. */
function replicasOf(list: string | undefined, names: readonly string[]): number[] | undefined {
  if (list === undefined) return undefined;
  if (names.join() !== 'renewals' || !/^1(,[2-9])+$/.test(list)) {
    throw new Error(`Only renewals has --replicas, and it begins with 1, as in 1,2,4\n${usage}`);
  }
  return list.split(',').map(Number);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
    process.exit(1);
  },
);

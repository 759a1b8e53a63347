import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { ensureChromium, launchChromium } from '../../support/chromium';
import { withChange } from './changed-file';
import { RunningCommand } from './running-command';

/** Below `test/dist/bench/loop`. */
const root = join(__dirname, '../../../..');
const rule = join(root, 'services/catalog/src/store.ts');
const page = join(root, 'gateway/dashboard/src/pages/session/sign-in-page.tsx');
const unitTest = 'services/subscription/src/lifecycle/cancellation.test.ts';
const pollMs = 20;
const waitMaxMs = 60_000;

const usage = `Usage: npm run bench:loop [-- --tests]
Measures how long a developer waits, on a quiet machine.
  --tests  also npm test and npm run test:all, which take about 40 minutes`;

/** One loop: what is waited for, at most how long, and how long it took, in seconds. */
interface Loop {
  readonly name: string;
  readonly atMost: number;
  readonly took: number;
}

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1000;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { tests: { type: 'boolean', default: false } } });
  const dataDir = mkdtempSync(join(tmpdir(), 'billing-loop-'));
  try {
    const loops = [
      ...(await starts(dataDir)),
      ...(await changes(dataDir)),
      ...(await tests(values.tests)),
    ];
    const [load = 0] = loadavg();
    process.stdout.write(`${toText(loops)}\nLoad at the end: ${load.toFixed(1)}\n`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Started {
  readonly gatewayUrl: string;
  readonly testKey: string;
}

/** Waits for the line that says that the system is ready. */
async function announced(command: RunningCommand): Promise<Started> {
  return JSON.parse(await command.line((line) => line.startsWith('{'))) as Started;
}

async function starts(dataDir: string): Promise<Loop[]> {
  const start = async () => {
    const command = RunningCommand.start(root, ['start', '--json', '--port=0', '--data', dataDir]);
    try {
      return await secondsOf(() => announced(command));
    } finally {
      await command.stop();
    }
  };
  log('npm start, for the first time');
  await start();
  log('npm start, again');
  const again = await start();
  log('npm start, after a change');
  const changed = await withChange(rule, ["resource: 'Product'", "resource: 'Thing'"], start);
  return [
    { name: 'npm start, nothing changed', atMost: 5, took: again },
    { name: 'npm start, one file changed', atMost: 8, took: changed },
  ];
}

async function changes(dataDir: string): Promise<Loop[]> {
  log('npm run dev');
  const command = RunningCommand.start(root, ['dev', '--json', '--port=0', '--data', dataDir]);
  try {
    const { gatewayUrl, testKey } = await announced(command);
    const served = await withChange(rule, ["resource: 'Product'", "resource: 'Thing'"], () =>
      secondsOf(() => serves(gatewayUrl, testKey)),
    );
    const shown = await pageChange(await command.line((line) => line.includes('hot reload')));
    return [
      { name: 'npm run dev, changed rule is served', atMost: 3, took: served },
      { name: 'npm run dev, changed page is shown', atMost: 2, took: shown },
    ];
  } finally {
    await command.stop();
  }
}

/** Asks for a product that does not exist until the answer has the changed text. */
async function serves(gatewayUrl: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const url = `${gatewayUrl}/v1/products/00000000-0000-4000-8000-000000000000`;
  for (const until = performance.now() + waitMaxMs; performance.now() < until;) {
    const response = await fetch(url, { headers });
    if ((await response.text()).includes('Thing not found')) return;
    await delay(pollMs);
  }
  throw new Error('The changed rule is not served');
}

/** Seconds until an open page shows a changed text; it must keep what was typed. */
async function pageChange(line: string): Promise<number> {
  const program = ensureChromium();
  if (program === undefined) throw new Error('There is no Chromium');
  const browser = await launchChromium(program);
  try {
    const tab = await browser.newPage();
    await tab.goto(line.slice(line.indexOf('http')));
    const email = tab.getByLabel('Email');
    await email.fill('olivia@example.com');
    const took = await withChange(page, ['title="Sign in"', 'title="Welcome"'], () =>
      secondsOf(() => tab.getByRole('heading', { name: 'Welcome' }).waitFor()),
    );
    if ((await email.inputValue()) === '') throw new Error('The page was loaded again');
    return took;
  } finally {
    await browser.close();
  }
}

async function tests(areAllWanted: boolean): Promise<Loop[]> {
  const first = async (...args: string[]) => {
    const command = RunningCommand.start(root, ['test', '--', ...args]);
    try {
      return await secondsOf(() => command.line((line) => /\b(?:PASS|FAIL)\b/.test(line)));
    } finally {
      await command.status();
    }
  };
  const whole = async (name: string) => {
    log(`npm run ${name}`);
    return await secondsOf(() => RunningCommand.start(root, [name]).status());
  };
  log('npm test of a file, and of a name');
  const few = [
    { name: `npm test -- ${unitTest}`, atMost: 5, took: await first(unitTest) },
    { name: 'npm test -- cancellation', atMost: 5, took: await first('cancellation') },
  ];
  if (!areAllWanted) return few;
  return [
    ...few,
    { name: 'npm test', atMost: 360, took: await whole('test') },
    { name: 'npm run test:all', atMost: 1_200, took: await whole('test:all') },
  ];
}

function toText(loops: readonly Loop[]): string {
  const width = Math.max(...loops.map(({ name }) => name.length));
  const rows = loops.map(({ name, atMost, took }) => {
    const verdict = took <= atMost ? '' : '  too long';
    return `${name.padEnd(width)}  ${took.toFixed(1).padStart(7)} s  (at most ${String(atMost)} s)${verdict}`;
  });
  return rows.join('\n');
}

function log(line: string): void {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

if (process.argv.includes('--help')) process.stdout.write(`${usage}\n`);
else void main();

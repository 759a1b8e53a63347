import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { runCheck, wrongUsage } from '../command-line/check';
import { Calendar } from './calendar';
import { DemoClient } from './demo-client';
import { fillSandbox } from './filling';
import { FlagError, type Flags, parseFlags, usage } from './flags';
import { progressOn } from './progress';
import { storedPlan, openSandbox, type PlanKey, planOf, toMetadata } from './sandbox';
import { summaryText } from './summary';

/** Below `test/dist/demo`. */
const root = join(__dirname, '../../..');

async function main(): Promise<number> {
  const { BILLING_LIVE_KEY: liveKey } = process.env;
  const flags = parseFlags(process.argv.slice(2), { dataDir: join(root, '.data'), liveKey });
  await mustAnswer(flags.url);
  const key = newPlanKey(flags);
  const sandboxKey = flags.sandboxKey ?? (await newSandboxKey(flags, key));
  const client = new DemoClient(flags.url, sandboxKey);
  const planKey = await planKeyIn(client, key);
  if (flags.sandboxKey === undefined) {
    say(
      `To resume an interrupted run: npm run demo -- --url ${flags.url} --sandbox ${sandboxKey}\n`,
    );
  }
  const onProgress = progressOn(process.stderr, () => performance.now());
  const metadata = toMetadata(planKey);
  await fillSandbox({ client, plan: planOf(planKey), metadata, onProgress });
  process.stdout.write(await summaryText(client, { sandboxName: planKey.name, sandboxKey }));
  return 0;
}

function newPlanKey({ seed, customers, months }: Flags): PlanKey {
  const now = systemClock.now();
  const { startsAt, lastDay } = Calendar.of({ until: now, months });
  const name = `Demo ${seed}, ${now.toISOString().slice(0, 16).replace('T', ' ')}`;
  return { seed, customers, startsAt, lastDay, name };
}

/** Resumes the plan in the sandbox; a new plan begins at the time of its clock. */
async function planKeyIn(client: DemoClient, key: PlanKey): Promise<PlanKey> {
  const kept = await storedPlan(client);
  if (kept !== undefined) return kept;
  const { now } = await client.api.sandboxes.retrieveClock();
  return { ...key, startsAt: new Date(now) };
}

async function newSandboxKey(flags: Flags, planKey: PlanKey): Promise<string> {
  const live = new DemoClient(flags.url, flags.key ?? storedLiveKey(flags.dataDir));
  const { key } = await openSandbox(live, planKey);
  return key;
}

/** The live key that `npm start` stores in its data folder. */
function storedLiveKey(dataDir: string): string {
  const file = join(dataDir, 'keys.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')).liveKey;
  } catch (error) {
    throw new FlagError(`No live key: ${file} cannot be read`, { cause: error });
  }
}

async function mustAnswer(url: string): Promise<void> {
  try {
    await fetch(`${url}/v1/sandboxes/clock`);
  } catch {
    throw new StartRefusal(exitStatuses.busy, `No response from ${url}. Start it with: npm start`);
  }
}

function refuseFlags(error: unknown): never {
  throw error instanceof FlagError ? wrongUsage(error.message) : error;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCheck(usage, () => main().catch(refuseFlags));

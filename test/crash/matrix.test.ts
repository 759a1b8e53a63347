import { crashFlows } from './flows';
import { CrashJournal, type CrashPlan } from './journal';
import { type CrashRun, isInShard, runsThrough, shuffled, titleOf } from './runs';
import { isNightly } from '../support/rounds';
import { CrashSystem } from './system';

// `npm run test:crash` executes all runs; here as many as possible, first in the order of the seed.
const isFull = process.env.CRASH_MATRIX === 'full';
const sampleMs = isNightly ? 60 * 60_000 : 15_000;
const fullMs = Number(process.env.CRASH_MINUTES ?? 240) * 60_000;
const runsMs = isFull ? fullMs : sampleMs;
// Independent of the machine's speed.
const runsMin = isFull ? 0 : 8;
const newSeed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
// Recording a flow takes longer than a run: a short round records one flow, another each time.
const flowsMax = isFull || isNightly ? crashFlows.length : 1;
const flows = crashFlows
  .filter(({ name }) => name.includes(process.env.CRASH_FLOW ?? ''))
  .filter((_flow, index, { length }) => (index + newSeed) % length < flowsMax);
const [shardIndex = 1, shardCount = 1] = (process.env.CRASH_SHARD ?? '1/1').split('/').map(Number);
const shard = { index: shardIndex, count: shardCount };
// A run mostly waits: several concurrent systems use the processors fully.
const systemsCount = Number(process.env.CRASH_SYSTEMS ?? 1);
// A run that was started in time may exceed the limit.
const lastRunsMs = 1_800_000;

describe('a process that dies at any boundary of a flow', () => {
  let systems: CrashSystem[] = [];
  let journal: CrashJournal;

  beforeAll(async () => {
    systems = await Promise.all(Array.from({ length: systemsCount }, () => CrashSystem.open()));
    journal = await CrashJournal.open(process.env.CRASH_JOURNAL, newPlan);
  }, 900_000);

  afterAll(async () => {
    await Promise.all(systems.map((system) => system.close()));
    const { seed, points } = journal.plan;
    const found = Object.entries(points);
    const counts = found.map(([name, { length }]) => `  ${String(length)} points: ${name}`);
    const pointsInAll = found.reduce((sum, [, { length }]) => sum + length, 0);
    const { runs, kills, failures } = journal.counts();
    say(
      `${String(pointsInAll)} points, ${String(runs)} of ${String(2 * pointsInAll)} runs with ${String(kills)} kills, ${String(failures.length)} findings`,
    );
    say([`seed ${String(seed)}`, ...counts].join('\n'));
  });

  test('leaves every flow with many recorded boundaries, in every service involved', () => {
    for (const { name } of flows) {
      expect(journal.plan.points[name]?.length).toBeGreaterThan(30);
    }
  });

  test(
    'violates no invariant, and the caller reaches its goal',
    async () => {
      const { seed, points } = journal.plan;
      const all = flows.flatMap((flow) => runsThrough(flow, points[flow.name] ?? [], seed));
      const mine = shuffled(all, seed).filter((run) => isInShard(run, shard));
      const queue = mine.filter((run) => !journal.isDone(titleOf(run)));
      const progress = { done: mine.length - queue.length, total: mine.length };
      const startedAt = performance.now();
      const takeOneAfterTheOther = async (system: CrashSystem) => {
        for (;;) {
          const isOver = performance.now() - startedAt > runsMs;
          if (isOver && progress.done >= runsMin) return;
          const run = queue.shift();
          if (run === undefined) return;
          await take(run, system, progress);
        }
      };
      await Promise.all(systems.map(takeOneAfterTheOther));
      const { runs, kills, failures } = journal.counts();
      expect(failures).toEqual([]);
      // A run may pass fewer boundaries than the recorded one, but rarely.
      expect(kills).toBeGreaterThan(runs / 2);
    },
    runsMs + lastRunsMs,
  );

  /** Records the boundaries once, by running each flow without kills. */
  async function newPlan(): Promise<CrashPlan> {
    const points: Record<string, CrashPlan['points'][string]> = {};
    const queue = [...flows];
    const recordOneAfterTheOther = async (system: CrashSystem) => {
      for (let flow = queue.shift(); flow !== undefined; flow = queue.shift()) {
        points[flow.name] = await system.record(flow);
      }
    };
    await Promise.all(systems.map(recordOneAfterTheOther));
    return { seed: newSeed, points };
  }

  async function take(
    run: CrashRun,
    system: CrashSystem,
    progress: { done: number; readonly total: number },
  ): Promise<void> {
    const title = titleOf(run);
    const startedAt = performance.now();
    const outcome = await system.run(run).catch((error: unknown) => ({
      killed: 0,
      failure: error instanceof Error ? error.message : String(error),
    }));
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const failure = 'failure' in outcome ? outcome.failure : undefined;
    await journal.add({ title, seconds, killed: outcome.killed, failure });
    progress.done += 1;
    if (failure !== undefined) say(`FAILED ${title}: ${failure}`);
    if (!isFull) return;
    say(`${String(progress.done)}/${String(progress.total)} ${String(seconds)} s ${title}`);
  }
});

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

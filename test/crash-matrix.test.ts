import { crashFlows } from './crash-flows';
import {
  CrashMatrix,
  type CrashPoint,
  type CrashRun,
  runsThrough,
  seededRandom,
  shuffled,
} from './crash-matrix';

// `npm run test:crash` takes all runs; here as many as come first in the order of the seed.
const isFull = process.env.CRASH_MATRIX === 'full';
const sampleMs = 110_000;
// All but what somebody looks for.
const flows = crashFlows.filter(({ name }) => name.includes(process.env.CRASH_FLOW ?? ''));
const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
const fullTimeoutMs = 4 * 60 * 60_000;
// A run that was begun in time may take its time.
const timeoutMs = isFull ? fullTimeoutMs : sampleMs + 200_000;

describe('a process that dies at any boundary of a flow', () => {
  let matrix: CrashMatrix;
  const points = new Map<string, CrashPoint[]>();
  const failures: string[] = [];
  let runsDone = 0;
  let killsDone = 0;

  beforeAll(async () => {
    matrix = await CrashMatrix.open();
    for (const flow of flows) points.set(flow.name, await matrix.record(flow));
  }, 240_000);

  afterAll(async () => {
    const counts = [...points].map(([name, { length }]) => `  ${String(length)} points: ${name}`);
    const total = [...points.values()].flat().length;
    say(`${String(total)} points, ${String(runsDone)} runs with ${String(killsDone)} kills`);
    say([`seed ${String(seed)}`, ...counts].join('\n'));
    await matrix.close();
  });

  test('is passed by every flow at many boundaries, in every service that takes part', () => {
    for (const found of points.values()) expect(found.length).toBeGreaterThan(40);
  });

  test(
    'leaves nothing broken, and the caller with what it wanted',
    async () => {
      const random = seededRandom(seed);
      const all = flows.flatMap((flow) => runsThrough(flow, points.get(flow.name) ?? [], random));
      const startedAt = performance.now();
      // Mixed, so that the supervisor restarts each of them at once: it waits longer for one that dies again and again.
      for (const run of shuffled(all, random)) {
        if (!isFull && performance.now() - startedAt > sampleMs) break;
        await take(run, all.length);
      }
      expect(failures).toEqual([]);
      expect(killsDone).toBeGreaterThan(10);
    },
    timeoutMs,
  );

  async function take(run: CrashRun, runsInAll: number): Promise<void> {
    const title = `${run.flow.name}: ${run.kills.map(({ name, hit }) => `${name} ${String(hit)}`).join(', ')}`;
    const startedAt = performance.now();
    try {
      killsDone += (await matrix.run(run)).killed;
    } catch (error) {
      failures.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
      say(`FAILED ${failures.at(-1) ?? ''}`);
    }
    runsDone += 1;
    const seconds = ((performance.now() - startedAt) / 1_000).toLocaleString('en', {
      maximumFractionDigits: 1,
    });
    if (isFull) say(`${String(runsDone)}/${String(runsInAll)} ${seconds} s ${title}`);
  }
});

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

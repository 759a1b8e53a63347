import { cpuSecondsBetween, cpuSecondsOf } from './process-cpu';
import { type Demand, judge, type Sample, sampleOf, type Verdict } from './statistics';

/** One run of one side. */
export interface Run {
  readonly operations: number;
  readonly perSecond: number;
  /** Share of one core; 0 where the measured program generates its own load. */
  readonly generatorCpu: number;
  readonly latencyMs?: Readonly<Record<string, number>>;
}

/** A run of a program that generates its own load. */
export function runOf(operations: number, seconds: number): Run {
  return { operations, perSecond: operations / seconds, generatorCpu: 0 };
}

/** One of the two compared programs. */
export interface Side {
  readonly name: string;
  /** Its current processes, by name. */
  readonly pids: () => Readonly<Record<string, number>>;
  /** Prepares the data for a run of this many seconds; not measured. */
  readonly prepare?: (seconds: number) => Promise<void>;
  readonly run: (seconds: number) => Promise<Run>;
}

/** The results of one side. */
export interface SideFigures {
  readonly name: string;
  readonly perSecond: Sample;
  /** CPU milliseconds per operation by process, medians; includes the database processes. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Latencies of the median run. */
  readonly latencyMs: Readonly<Record<string, number>> | undefined;
}

/** Two programs measured alternately, and their ratio. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly ours: SideFigures;
  readonly floor: SideFigures;
  /** Our rate divided by the floor's, pair by pair. */
  readonly ratio: Sample;
  /**
   * The floor's CPU time per operation divided by ours, without the database: more stable than
   * rates.
   */
  readonly cpuRatio: number;
  readonly generatorCpu: number;
  /** Undefined: the ratio is only shown. */
  readonly demand: Demand | undefined;
  readonly verdict: Verdict;
}

export interface ComparisonOptions {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly ours: Side;
  readonly floor: Side;
  /** Absent: the ratio is only shown. */
  readonly demand?: Demand | undefined;
  readonly pairs: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Minimum number of warm-up operations, which may extend the warm-up. */
  readonly warmUpOperations?: number;
  /** Processes used by both sides, such as the database. */
  readonly sharedPids: () => Readonly<Record<string, number>>;
  readonly log: (line: string) => void;
}

interface MeasuredRun extends Run {
  readonly cpuMs: Record<string, number>;
}

const warmUpRoundsMax = 5;

/** Runs both sides alternately, so that other load on the machine affects both alike. */
export async function compare(options: ComparisonOptions): Promise<Comparison> {
  const { id, title, unit, ours, floor, demand, pairs, log } = options;
  log(`${id}: warming up`);
  await warmUp(ours, options);
  await warmUp(floor, options);
  const ourRuns: MeasuredRun[] = [];
  const floorRuns: MeasuredRun[] = [];
  for (let pair = 1; pair <= pairs; pair += 1) {
    const first = await measure(ours, options);
    const second = await measure(floor, options);
    ourRuns.push(first);
    floorRuns.push(second);
    const rates = [first, second].map(({ perSecond }) => String(Math.round(perSecond)));
    log(`${id}: pair ${String(pair)} of ${String(pairs)}: ${rates.join(' : ')} ${unit}`);
  }
  const ratio = sampleOf(ourRuns.map((run, index) => run.perSecond / rateOf(floorRuns[index])));
  const figures = { ours: figuresOf(ours, ourRuns), floor: figuresOf(floor, floorRuns) };
  const generatorCpu = Math.max(...[...ourRuns, ...floorRuns].map((run) => run.generatorCpu));
  const verdict = judge({ ratio, floor: figures.floor.perSecond, generatorCpu, demand });
  const cpuRatio = ownCpu(figures.floor, options) / ownCpu(figures.ours, options);
  return { id, title, unit, ...figures, ratio, cpuRatio, generatorCpu, demand, verdict };
}

/** Code is compiled by use, not by time: on a busy machine it takes longer to reach full speed. */
async function warmUp(
  side: Side,
  { warmUpSeconds, warmUpOperations = 0 }: ComparisonOptions,
): Promise<void> {
  let operations = 0;
  for (let round = 1; round <= warmUpRoundsMax; round += 1) {
    await side.prepare?.(warmUpSeconds);
    operations += (await side.run(warmUpSeconds)).operations;
    if (operations >= warmUpOperations) return;
  }
}

async function measure(side: Side, { seconds, sharedPids }: ComparisonOptions) {
  await side.prepare?.(seconds);
  const pids = { ...side.pids(), ...sharedPids() };
  const before = cpuSecondsOf(pids);
  const run = await side.run(seconds);
  const used = cpuSecondsBetween(before, cpuSecondsOf(pids));
  const cpuMs = Object.fromEntries(
    Object.entries(used).map(([name, cpu]) => [name, (cpu * 1_000) / run.operations]),
  );
  return { ...run, cpuMs };
}

function figuresOf({ name }: Side, runs: readonly MeasuredRun[]): SideFigures {
  const perSecond = sampleOf(runs.map((run) => run.perSecond));
  const processes = Object.keys(runs[0]?.cpuMs ?? {});
  const cpuMs = Object.fromEntries(
    processes.map((process) => [
      process,
      sampleOf(runs.map((run) => run.cpuMs[process] ?? 0)).median,
    ]),
  );
  const byRate = [...runs].sort((a, b) => a.perSecond - b.perSecond);
  return { name, perSecond, cpuMs, latencyMs: byRate[Math.floor(runs.length / 2)]?.latencyMs };
}

function ownCpu({ cpuMs }: SideFigures, { sharedPids }: ComparisonOptions): number {
  const shared = new Set(Object.keys(sharedPids()));
  return Object.entries(cpuMs)
    .filter(([name]) => !shared.has(name))
    .reduce((sum, [, ms]) => sum + ms, 0);
}

function rateOf(run: MeasuredRun | undefined): number {
  if (run === undefined) throw new Error('A pair lacks its second run');
  return run.perSecond;
}

import { cpuSecondsBetween, cpuSecondsOf } from './process-cpu';
import { type Demand, judge, type Sample, sampleOf, type Verdict } from './statistics';

/** One run of one side. */
export interface Run {
  readonly operations: number;
  readonly perSecond: number;
  /** Share of one core; 0 where the measured program makes its own work. */
  readonly generatorCpu: number;
  readonly latencyMs?: Readonly<Record<string, number>>;
}

/** One of the two programs that are compared. */
export interface Side {
  readonly name: string;
  /** Its processes now, by name. */
  readonly pids: () => Readonly<Record<string, number>>;
  /** Makes what a run of so many seconds takes; not measured. */
  readonly prepare?: (seconds: number) => Promise<void>;
  readonly run: (seconds: number) => Promise<Run>;
}

/** What one side came to. */
export interface SideFigures {
  readonly name: string;
  readonly perSecond: Sample;
  /** CPU milliseconds for each operation by process, medians; processes of the database too. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** The median run's. */
  readonly latencyMs: Readonly<Record<string, number>> | undefined;
}

/** Two programs measured by turns, and how one did against the other. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly ours: SideFigures;
  readonly floor: SideFigures;
  /** Ours by the floor's, pair by pair. */
  readonly ratio: Sample;
  /** The floor's CPU for each operation by ours, without the database: steady where rates are not. */
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
  /** At least so many, in more time if need be. */
  readonly warmUpOperations?: number;
  /** Processes that both use, such as the database. */
  readonly sharedPids: () => Readonly<Record<string, number>>;
  readonly log: (line: string) => void;
}

interface MeasuredRun extends Run {
  readonly cpuMs: Record<string, number>;
}

const warmUpRoundsMax = 5;

/** Runs both by turns, so that whatever else the machine does meets both alike. */
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

/** Code is compiled by use, not by time: on a busy machine it takes longer until a program is as fast as it will be. */
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

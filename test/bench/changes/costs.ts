import type { Effort, FigureTable } from '../report/bench';
import { cpuSecondsBetween, cpuSecondsOf } from '../figures/process-cpu';
import { judge, sampleOf, spreadText } from '../figures/statistics';
import { demandText } from '../report/report';
import type { Stage, StagedSystem } from '../stage/stage';

/** Work whose processor time is measured. */
export interface CostSide {
  /** Processes that work for it, in addition to the system. */
  readonly pids?: () => Readonly<Record<string, number>>;
  /** Prepares a run; not measured. */
  readonly prepare?: (seconds: number) => Promise<void>;
  /** Returns the number of operations, once all their work is done. */
  readonly run: (seconds: number) => Promise<number>;
}

interface Costs {
  /** Processor time of all processes, databases included, for each operation. */
  readonly cpuMs: number;
  /** The databases' part of it. */
  readonly databaseMs: number;
}

interface CompareOptions {
  readonly stage: Stage;
  readonly system: StagedSystem;
  readonly effort: Effort;
  readonly title: string;
  readonly ours: CostSide;
  readonly floor: CostSide;
  readonly demand: { readonly atMost: number };
}

/** Measures the processor time of both sides alternately, and judges the ratio of the costs. */
export async function compareCosts(options: CompareOptions): Promise<FigureTable> {
  const { stage, effort, title, ours, floor, demand } = options;
  stage.log(`${title}: warming up`);
  for (const side of [ours, floor]) await costsOf(side, effort.warmUpSeconds, options);
  const pairs: { ours: Costs; floor: Costs }[] = [];
  for (let pair = 1; pair <= effort.pairs; pair += 1) {
    const costs = {
      ours: await costsOf(ours, effort.seconds, options),
      floor: await costsOf(floor, effort.seconds, options),
    };
    pairs.push(costs);
    const each = [costs.ours, costs.floor].map(({ cpuMs }) => cpuMs.toFixed(1));
    stage.log(`${title}: pair ${String(pair)} of ${String(effort.pairs)}: ${each.join(' : ')} ms`);
  }
  const floorCosts = sampleOf(pairs.map((pair) => pair.floor.cpuMs));
  const ratio = sampleOf(pairs.map((pair) => pair.ours.cpuMs / pair.floor.cpuMs));
  const row = (name: string, costs: readonly Costs[]) => [
    name,
    spreadText(sampleOf(costs.map(({ cpuMs }) => cpuMs))),
    spreadText(sampleOf(costs.map(({ databaseMs }) => databaseMs))),
    ...['', '', ''],
  ];
  const verdict = judge({ ratio, floor: floorCosts, generatorCpu: 0, demand });
  return {
    title,
    columns: ['side', 'CPU, ms', 'of the databases', 'ratio', 'demand', 'verdict'],
    rows: [
      [
        ...row(
          'ours',
          pairs.map((pair) => pair.ours),
        ).slice(0, 3),
        ...[spreadText(ratio), demandText(demand), verdict],
      ],
      row(
        'baseline',
        pairs.map((pair) => pair.floor),
      ),
    ],
  };
}

async function costsOf(
  { pids, prepare, run }: CostSide,
  seconds: number,
  { stage, system }: Pick<CompareOptions, 'stage' | 'system'>,
): Promise<Costs> {
  await prepare?.(seconds);
  const read = () => ({
    programs: cpuSecondsOf({ ...system.pids(), ...pids?.() }),
    databases: cpuSecondsOf(stage.sharedPids()),
  });
  const before = read();
  const operations = await run(seconds);
  const after = read();
  if (operations === 0) throw new Error('Nothing was answered');
  const msEach = (part: 'programs' | 'databases') =>
    (sumOf(cpuSecondsBetween(before[part], after[part])) * 1_000) / operations;
  const databaseMs = msEach('databases');
  return { cpuMs: msEach('programs') + databaseMs, databaseMs };
}

function sumOf(seconds: Readonly<Record<string, number>>): number {
  return Object.values(seconds).reduce((sum, one) => sum + one, 0);
}

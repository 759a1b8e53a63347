import type { Stage, StagedSystem } from './stage';
import { percentileOf } from '../figures/statistics';
import { cpuMsNow, cpuSecondsBetween, cpuSecondsOf } from '../figures/process-cpu';

/** Cost of requests that were sent one by one. */
interface Reads {
  /** CPU of all processes, for each request. */
  readonly cpuMs: number;
  /** The databases' part of it. */
  readonly databaseMs: number;
  readonly wallMs: readonly number[];
  /** CPU of all processes during each request, until its answer. */
  readonly workMs: readonly number[];
}

export const readColumns = [
  'what',
  'CPU of all processes, ms',
  'of the databases',
  'wall p50, ms',
  'wall p95, ms',
  'CPU p95, ms',
];

/** Sends requests one by one; `read` gets the number of the request. */
export async function measureReads(
  { stage, system, times }: { stage: Stage; system: StagedSystem; times: number },
  read: (number: number) => Promise<void>,
): Promise<Reads> {
  const cpu = () => ({
    servers: cpuSecondsOf(system.pids()),
    databases: cpuSecondsOf(stage.sharedPids()),
  });
  const pids = [...Object.values(system.pids()), ...Object.values(stage.sharedPids())];
  const before = cpu();
  const wallMs: number[] = [];
  const workMs: number[] = [];
  for (let number = 0; number < times; number += 1) {
    const workBefore = cpuMsNow(pids);
    const start = performance.now();
    await read(number);
    wallMs.push(performance.now() - start);
    workMs.push(Math.max(0, cpuMsNow(pids) - workBefore));
  }
  const after = cpu();
  const msEach = (side: 'servers' | 'databases') =>
    (sumOf(cpuSecondsBetween(before[side], after[side])) * 1_000) / times;
  const databaseMs = msEach('databases');
  return { cpuMs: msEach('servers') + databaseMs, databaseMs, wallMs, workMs };
}

function sumOf(seconds: Readonly<Record<string, number>>): number {
  return Object.values(seconds).reduce((sum, one) => sum + one, 0);
}

/** Row of a table with `readColumns`. */
export function readRow(name: string, { cpuMs, databaseMs, wallMs, workMs }: Reads): string[] {
  const walls = [percentileOf(wallMs, 0.5), percentileOf(wallMs, 0.95)];
  const figures = [cpuMs, databaseMs, ...walls, percentileOf(workMs, 0.95)];
  return [name, ...figures.map((ms) => ms.toFixed(1))];
}

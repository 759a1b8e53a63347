import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Closers } from '@billing/chassis/process';
import { startReplica } from '../../support/replica';
import type { Effort, FigureTable, Findings } from '../report/bench';
import { compare, type Comparison, type Side, type SideFigures } from '../figures/comparison';
import { busyCores, limitOf } from '../figures/limit';
import { spreadText } from '../figures/statistics';
import type { Stage } from '../stage/stage';
import { renewalSide } from './renewal-side';
import { RenewalSeed } from './seed';

// Two replicas, if the processors allow it.
const demandOfTwo = { atLeast: 1.6 };
// All replicas have read the others' heartbeats by then, and gained their slices.
const sharingBeats = 3;
const pollMs = 200;
const sharedWithinMs = 60_000;

/**
 * Renewals by several processes of `subscription` against one. Each number of them has databases of
 * its own on the same server, so that the sides alternate with warm processes.
 */
export async function compareReplicas(
  stage: Stage,
  effort: Effort,
  replicas: readonly number[],
): Promise<Findings> {
  const [, ...several] = replicas;
  const closers = new Closers();
  try {
    const single = await sideOf(1, stage, closers);
    const sides = new Map<number, Side>();
    for (const count of several) sides.set(count, await sideOf(count, stage, closers));
    const comparisons: Comparison[] = [];
    for (const [count, ours] of sides) {
      const compared = await compare({
        ...effort,
        id: `${String(count)} replicas`,
        title: `renew + invoice, ${ours.name} of subscription : ${single.name}`,
        unit: 'renewals/s',
        ours,
        floor: single,
        demand: count === 2 ? demandOfTwo : undefined,
        sharedPids: () => stage.sharedPids(),
        log: stage.log,
      });
      comparisons.push(judgedOnFreeProcessors(compared, stage));
    }
    return { comparisons, figures: [tableOf(comparisons, stage)] };
  } finally {
    await closers.closeAll();
  }
}

async function sideOf(count: number, stage: Stage, closers: Closers): Promise<Side> {
  const system = await stage.system({
    databasePrefix: `bench_replicas_${String(count)}`,
    streamName: `BENCH_replicas_${String(count)}`,
  });
  const seed = await RenewalSeed.open(system);
  closers.add('seed', () => seed.close());
  const added: Record<string, ChildProcess> = {};
  for (let number = 2; number <= count; number += 1) {
    const child = startReplica(system.pids().subscription);
    closers.add('replica', () => stopped(child));
    added[`subscription ${String(number)}`] = child;
  }
  await untilShared(seed, count);
  const pids = () => ({
    ...system.pids(),
    ...Object.fromEntries(Object.entries(added).map(([name, child]) => [name, pidOf(child)])),
  });
  return renewalSide({ pids }, seed, count === 1 ? '1 process' : `${String(count)} processes`);
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined || hasEnded(child)) throw new Error('A replica ended');
  return child.pid;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function untilShared({ replicas }: RenewalSeed, count: number): Promise<void> {
  const startedMs = performance.now();
  while ((await replicas.countDocuments({ beat: { $gte: sharingBeats } })) < count) {
    if (performance.now() - startedMs > sharedWithinMs) {
      throw new Error(`${String(count)} replicas did not share the work in time`);
    }
    await sleep(pollMs);
  }
}

/** Gives no verdict if the processors do not allow the rate that two processes must reach. */
function judgedOnFreeProcessors(comparison: Comparison, stage: Stage): Comparison {
  const allowed = availableParallelism() / useOf(comparison.floor, stage).cores;
  if (comparison.verdict !== 'missed' || allowed >= demandOfTwo.atLeast) return comparison;
  return { ...comparison, verdict: `no verdict: processors allow ${allowed.toFixed(2)} ×` };
}

function tableOf(comparisons: readonly Comparison[], stage: Stage): FigureTable {
  const single = comparisons.slice(0, 1).map(({ floor }) => rowOf(floor, '1', stage));
  const several = comparisons.map(({ ours, ratio }) => rowOf(ours, spreadText(ratio), stage));
  return {
    title: `renewals by processes of subscription on ${String(availableParallelism())} cores; CPU in ms per renewal`,
    columns: [
      'processes',
      'renewals/s',
      'ratio',
      'CPU of subscription',
      'of other services',
      'of database and stream',
      'busy cores',
      'limit',
    ],
    rows: [...single, ...several],
  };
}

function rowOf(side: SideFigures, ratio: string, stage: Stage): string[] {
  const { subscription, others, servers, cores, limit } = useOf(side, stage);
  const figures = [subscription, others, servers, cores].map((figure) => figure.toFixed(2));
  return [side.name, side.perSecond.median.toFixed(0), ratio, ...figures, limit];
}

function useOf(side: SideFigures, stage: Stage) {
  const servers = Object.keys(stage.sharedPids());
  const services = Object.keys(side.cpuMs).filter((name) => !servers.includes(name));
  const own = services.filter((name) => name.startsWith('subscription'));
  const others = services.filter((name) => !own.includes(name));
  const sum = (all: Readonly<Record<string, number>>, names = Object.keys(all)) =>
    names.reduce((total, name) => total + (all[name] ?? 0), 0);
  const busy = busyCores(side);
  return {
    subscription: sum(side.cpuMs, own),
    others: sum(side.cpuMs, others),
    servers: sum(side.cpuMs, servers),
    cores: sum(busy),
    limit: limitOf(busy, { cores: availableParallelism(), services }),
  };
}

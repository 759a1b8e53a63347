import { createHash } from 'node:crypto';
import type { CrashFlow } from './crash-flow';

/** A boundary of a flow, the n-th time that it is passed. */
export interface CrashPoint {
  readonly name: string;
  readonly hit: number;
}

/** One flow, killed at some points in turn; the hits of each point count from the kill before it. */
export interface CrashRun {
  readonly flow: CrashFlow;
  readonly kills: readonly CrashPoint[];
}

/** What a run is known by, from one start of the matrix to the next. */
export function titleOf({ flow, kills }: CrashRun): string {
  return `${flow.name}: ${kills.map(({ name, hit }) => `${name} ${String(hit)}`).join(', ')}`;
}

/** Each point alone, and each followed by a second kill at the same or a later one. */
export function runsThrough(
  flow: CrashFlow,
  points: readonly CrashPoint[],
  seed: number,
): CrashRun[] {
  return points.flatMap((point, index) => {
    const chance = chanceOf(seed, titleOf({ flow, kills: [point] }));
    const second = points[index + Math.floor(chance * (points.length - index))] ?? point;
    return [
      { flow, kills: [point] },
      { flow, kills: [point, { name: second.name, hit: 1 }] },
    ];
  });
}

/** In an order that comes again with the same seed. */
export function shuffled(runs: readonly CrashRun[], seed: number): CrashRun[] {
  return runs
    .map((run) => ({ run, place: chanceOf(seed, titleOf(run)) }))
    .sort((a, b) => a.place - b.place)
    .map(({ run }) => run);
}

/** Whether a run is one of those of the i-th of n parts; each run is in one part, whatever else there is. */
export function isInShard(run: CrashRun, { index, count }: Shard): boolean {
  return Math.floor(chanceOf(0, titleOf(run)) * count) === index - 1;
}

/** A part of the matrix: the `index`-th of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** A number from 0 to 1 that comes again with the same seed and text. */
function chanceOf(seed: number, text: string): number {
  const digest = createHash('sha256')
    .update(`${String(seed)} ${text}`)
    .digest();
  return digest.readUInt32BE() / 2 ** 32;
}

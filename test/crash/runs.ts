import { createHash } from 'node:crypto';
import type { CrashFlow } from './flow';

/** The n-th time that a flow passes a boundary. */
export interface CrashPoint {
  readonly name: string;
  readonly hit: number;
}

/** One flow, killed at some points in turn; hits are counted from the preceding kill. */
export interface CrashRun {
  readonly flow: CrashFlow;
  readonly kills: readonly CrashPoint[];
}

/** Identifies a run across starts of the matrix. */
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

/** Shuffles deterministically by seed. */
export function shuffled(runs: readonly CrashRun[], seed: number): CrashRun[] {
  return runs
    .map((run) => ({ run, place: chanceOf(seed, titleOf(run)) }))
    .sort((a, b) => a.place - b.place)
    .map(({ run }) => run);
}

/**
 * True if a run belongs to the given shard; each run belongs to exactly one, independent of the
 * others.
 */
export function isInShard(run: CrashRun, { index, count }: Shard): boolean {
  return Math.floor(chanceOf(0, titleOf(run)) * count) === index - 1;
}

/** A part of the matrix: the `index`-th of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** A number from 0 to 1, determined by seed and text. */
function chanceOf(seed: number, text: string): number {
  const digest = createHash('sha256')
    .update(`${String(seed)} ${text}`)
    .digest();
  return digest.readUInt32BE() / 2 ** 32;
}

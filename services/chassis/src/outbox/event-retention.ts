import { earliestIdAt, timeOfId } from '../ids';

// After a restore, readers read again from an hour before its instant.
const rereadMs = 60 * 60_000;

/**
 * Returns the position before which entries may be deleted: they were inserted before a time, and
 * every reader has passed them by an hour. Undefined while no reader has reported a position, or
 * while one has passed no entry.
 */
export function deletableBefore(time: Date, passed: readonly string[]): string | undefined {
  const [slowest] = passed.toSorted();
  if (slowest === undefined || slowest === '') return undefined;
  const needed = timeOfId(slowest).getTime() - rereadMs;
  return earliestIdAt(new Date(Math.min(time.getTime(), needed)));
}

/** True for `npm run test:nightly`, which runs the whole of what other runs do for a short time. */
export const isNightly = process.env.TEST_TIER === 'nightly';

/** True for `npm run test:all`, which repeats nothing that one place of a file shows. */
export const isShort = process.env.TEST_TIER === 'all';

// Number of the day that `npm run test:all` chooses its shares by; undefined in other runs.
const { TEST_DAY: day } = process.env;

/** All entries, but in `npm run test:all` the one of the day. */
export function inTurn<T>(entries: readonly T[]): readonly T[] {
  if (day === undefined) return entries;
  return entries.filter((_entry, index) => index === Number(day) % entries.length);
}

/** Numbers from 0 up to below 1 that follow from a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** True for `npm run test:nightly`, which runs the whole of what other runs do for a short time. */
export const isNightly = process.env.TEST_TIER === 'nightly';

/** True for `npm run test:all`, which repeats nothing that one place of a file shows. */
export const isShort = process.env.TEST_TIER === 'all';

/** Numbers from 0 up to below 1 that follow from a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

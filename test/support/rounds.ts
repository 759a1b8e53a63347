/** True for `npm run test:nightly`, which runs the whole of what other runs do for a short time. */
export const isNightly = process.env.TEST_TIER === 'nightly';

/** True for `npm run test:all`, which repeats nothing that one place of a file shows. */
export const isShort = process.env.TEST_TIER === 'all';

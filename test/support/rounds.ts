/** True for `npm run test:nightly`, which runs the whole of what other runs do for a short time. */
export const isNightly = process.env.TEST_TIER === 'nightly';

const fc = require('../../../node_modules/fast-check/lib/cjs/fast-check.js');

// A change must not fail by values that no run of its author has seen. The nightly run makes new
// ones, and prints the seed of those that fail.
if (process.env.TEST_TIER !== 'nightly') fc.configureGlobal({ seed: 1 });

module.exports = fc;

const { statSync } = require('node:fs');

// With two workers the first of these fills one of them while the others wait for processes that
// restart. Of the rest, the larger first, and those across services before the others: a worker ends
// the system that they share when it takes one of the others.
const first = [
  'start.integration',
  'contract/schemathesis',
  'crash/recovery',
  'crash/matrix',
  'crash/webhook-faults',
  'crash/ingest',
  'crash/repeats-after-kills',
  'contract/isolation',
  'contract/races',
  'pages/portal-browser',
  'walks/keyboard',
  'walks/touch',
  'dashboard/browser',
  'dashboard/money-pages',
  'dashboard/subscription-pages',
  'dashboard/list-pages',
  'dashboard/page-calls',
  'pages/stored-scripts',
  'contract/role-matrix',
  'demo/data',
  'scenario/periods',
  'scenario/dunning',
  'pages/hosted-browser',
];

// Starts when the short tests have ended, so no other test uses the machine: it measures how much
// is served under its load.
const last = ['gateway/answers-under-load'];

/** Sorts tests alike on every machine, without timings of earlier runs: long tests start first. */
class TestOrder {
  sort(tests) {
    const sizes = new Map(tests.map(({ path }) => [path, statSync(path).size]));
    const size = ({ path }) => sizes.get(path) ?? 0;
    return [...tests].sort((a, b) => rank(a) - rank(b) || size(b) - size(a));
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_test, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests() {
    return [];
  }

  cacheResults() {}
}

function rank({ path, context }) {
  const isOneOf = (name) => path.endsWith(`/${name}.test.ts`);
  if (last.some(isOneOf)) return first.length + 2;
  const place = first.findIndex(isOneOf);
  if (place !== -1) return place;
  return context.config.displayName.name === 'e2e' ? first.length : first.length + 1;
}

module.exports = TestOrder;

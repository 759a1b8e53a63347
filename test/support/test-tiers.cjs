// What `npm test`, `npm run test:all` and `npm run test:nightly` leave out. Without TEST_TIER all
// tests run. Names are ends of paths without `.test.ts`.

/** Tests across services that `npm test` runs. */
const smoke = [
  'contract/conventions',
  'contract/customers',
  'contract/openapi',
  'contract/subscriptions',
  'deployment/rpc-callers',
  'scenario/cancellations',
  'scenario/checkout',
  'scenario/checkout-webhooks',
];

/** Tests of stores and RPCs that wait for retries and leases, or start many processes. */
const slow = [
  'advance.integration',
  'clock/advance-limits.integration',
  'connection-age.integration',
  'consumer.integration',
  'environment-deletion.integration',
  'event-log.integration',
  'failing-endpoints.integration',
  'history/replays.integration',
  'infrastructure.integration',
  'ingest-audit.integration',
  'late-writes.integration',
  'list-counts.integration',
  'message/reconciliation-worker.integration',
  'moved-system.integration',
  'outbox-removal.integration',
  'paused-backup.integration',
  'point-in-time.integration',
  'provider/stripe/crash.integration',
  'put-back-system.integration',
  'relay.integration',
  'report/reports.integration',
  'restored-system.integration',
  'sandbox-deletion.integration',
  'scripted-receiver.integration',
  'sending/due-deliveries.integration',
  'shared-work.integration',
  'slow-endpoints.integration',
  'start.integration',
  'stuck-commands.integration',
  'test-selection.integration',
  'sweep.integration',
  'usage-too-large.integration',
];

/** Tests that take minutes by their nature. */
const nightly = [
  'drill/point-in-time',
  'e-invoice/official-rules.integration',
  'engine/compose',
  'engine/mongodb',
  'gateway/connection-age',
  'scenario/year-of-renewals',
  'upgrade/breaks',
  'upgrade/mixed',
  'upgrade/stored-documents',
  'upgrade/upgrade',
];

/** Crash suites in groups of about the same length; `npm run test:all` runs one group a day. */
const crashGroups = [
  ['crash/matrix', 'crash/recovery', 'crash/stream-outage', 'drill/lost-machine'],
  ['crash/webhook-faults', 'crash/ingest', 'crash/full-disk', 'crash/stream-cluster'],
  ['drill/put-back', 'crash/frozen-metering', 'crash/repeats-after-kills'],
];
// Number of the day; undefined in runs of single files.
const { TEST_DAY: day } = process.env;
const ofOtherDays = crashGroups.filter(
  (_group, index) => day !== undefined && index !== Number(day) % crashGroups.length,
);

const tier = process.env.TEST_TIER;
const patternOf = (names) => `/(${names.join('|')})\\.test\\.ts$`;

module.exports = {
  /** Patterns of paths that jest ignores. */
  leftOut:
    {
      quick: [patternOf([...slow, ...nightly])],
      all: [patternOf([...nightly, ...ofOtherDays.flat()])],
    }[tier] ?? [],
  /** Patterns of the tests across services. */
  acrossServices: tier === 'quick' ? smoke.map((name) => `**/${name}.test.ts`) : ['**/*.test.ts'],
};

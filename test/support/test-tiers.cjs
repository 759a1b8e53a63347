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
  'drill/mutants',
  'drill/point-in-time',
  'drill/random-restores',
  'e-invoice/official-rules.integration',
  'engine/compose',
  'engine/mongodb',
  'gateway/connection-age',
  'scenario/year-of-renewals',
  'upgrade/breaks',
  'upgrade/mixed',
  'upgrade/stored-documents',
  'upgrade/upgrade',
  'walks/keyboard',
  'walks/touch',
];

/**
 * Long suites. `npm run test:all` runs a third of them each day, so that CI ends in time on a slow
 * machine, too. Within each kind the longer ones come first: all days take about as long.
 */
const inTurns = [
  // Killed processes and lost machines.
  'crash/matrix',
  'crash/recovery',
  'crash/webhook-faults',
  'crash/mails',
  'crash/ingest',
  'drill/lost-machine',
  'drill/put-back',
  'crash/full-disk',
  'crash/lost-answers',
  'crash/stream-outage',
  'crash/stream-cluster',
  'crash/frozen-metering',
  'crash/repeats-after-kills',
  // In Chromium.
  'dashboard/browser',
  'dashboard/page-calls',
  'dashboard/list-pages',
  'dashboard/money-pages',
  'dashboard/subscription-pages',
  'pictures/pages',
  'pages/stored-scripts',
  'pages/portal-browser',
  'pages/branded-browser',
  'dashboard/form-inputs',
  'pages/hosted-browser',
  'dashboard/design',
  'dashboard/times-of-changes',
  'dashboard/recovering',
  // Random requests, races, and each route with each kind of caller.
  'contract/schemathesis',
  'contract/role-matrix',
  'scenario/races-of-changes',
  'scenario/previews-of-changes',
  'contract/isolation',
  'gateway/creation-costs',
  'scenario/erasure',
  'contract/races',
  'contract/exports',
  'invariants/command',
  'demo/data',
  'demo/feed-rebuild',
  'gateway/overload',
  'gateway/slow-bodies',
  // Long lives of subscriptions, and the pages of a payer.
  'scenario/usage',
  'scenario/dunning',
  'pages/hosted-links-and-invoices',
  'pages/portal',
  'scenario/downgrades',
  'scenario/discounts',
  'scenario/lives-of-changes',
  'scenario/usage-stretches',
  'scenario/changes-at-instants',
  'scenario/new-cycles',
  'scenario/periods',
  'scenario/changes',
  'scenario/credits',
  'scenario/discounts-of-changes',
  'scenario/payments-of-changes',
  'scenario/lines-put-off',
  // Starts of whole systems.
  'local/src/start.integration',
  'moved-system.integration',
  'restored-system.integration',
  'docs/cli',
  'deployment/mtls',
  'deployment/replicas',
  'deployment/image',
  'put-back-system.integration',
  'restore/point-in-time.integration',
  'local/src/infrastructure.integration',
  'paused-backup.integration',
  // Stores and RPCs that wait for retries and leases.
  'slow-endpoints.integration',
  'checkout/src/recovery/recovery.integration',
  'subscription/src/recovery/reassert.integration',
  'message/reconciliation-worker.integration',
  'clock/advance-limits.integration',
  'clock/advance.integration',
  'reassert-redemptions.integration',
  'shared-work.integration',
  'failing-endpoints.integration',
  'audit-worker.integration',
  'provider/stripe/crash.integration',
  'provider/stripe/refund-crash.integration',
  'scripted-receiver.integration',
  'sending/due-deliveries.integration',
  'usage-too-large.integration',
];
// Number of the day; undefined in runs of single files.
const { TEST_DAY: day } = process.env;
const ofOtherDays = inTurns.filter(
  (_name, index) => day !== undefined && index % 3 !== Number(day) % 3,
);

const tier = process.env.TEST_TIER;
const patternOf = (names) => `/(${names.join('|')})\\.test\\.ts$`;

module.exports = {
  /** Patterns of paths that jest ignores. */
  leftOut:
    {
      quick: [patternOf([...slow, ...nightly])],
      all: [patternOf([...nightly, ...ofOtherDays])],
    }[tier] ?? [],
  /** Patterns of the tests across services. */
  acrossServices: tier === 'quick' ? smoke.map((name) => `**/${name}.test.ts`) : ['**/*.test.ts'],
};

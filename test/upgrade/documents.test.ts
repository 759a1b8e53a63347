import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectionsByService } from '@billing/local/collections';
import { goldenFile, parseDocuments, readGolden } from './golden-documents';
import { lostFields } from './shape';

const root = join(__dirname, '../..');
const baselineFile = join(__dirname, 'baseline.json');

// Filled by faults, deletions and races, or by requests that the life of the tests does not make.
const ofFaults = [
  'deletedEnvironments',
  'eventLogMarks',
  'idempotencyRecords',
  'keyClaims',
  'poisonMessages',
  'restores',
  'scheduleProgress',
  'schema',
  'searchProgress',
  'secretFingerprints',
  'stuckCommands',
  'system',
];

/** Collections of a service that have no golden document. */
const unfilled: Readonly<Record<string, readonly string[]>> = {
  identity: ['eventLog', 'loginAttempts', 'lostCalls', 'resetLinks'],
  catalog: ['supersededPrices'],
  customer: ['portalSessions', 'portalSettings', 'portalSignIns', 'portalVisits'],
  checkout: [
    'brandings',
    'changeReservations',
    'checkoutSessionTotals',
    'disputes',
    'dunningTotals',
    'expiryProgress',
    'logos',
    'previewKeys',
    'providerReports',
    'refusedAttempts',
    'sandboxChallenges',
    'sandboxDisputes',
    'stripeCustomers',
    'stripePayments',
    'unmatchedCharges',
    'waitingAuthorizations',
  ],
  subscription: ['previewKeys', 'priceMigrationRows', 'priceMigrations', 'revenueTotals'],
  metering: ['creditGrants', 'usageDays', 'usageHourValues', 'usageHours', 'usageValues'],
  notifier: [
    'awaitedEvents',
    'deliveryDays',
    'emailSettings',
    'emailSuppressions',
    'emailTemplates',
    'emails',
    'endpointTests',
    'eventLog',
    'lostLogEntries',
    'mailPositions',
    'messageFloors',
    'missingEvents',
    'operatorEmails',
    'replays',
    'restoredEnvironments',
  ],
};

describe.each(Object.entries(collectionsByService))(
  'golden documents of %s',
  (service, layouts) => {
    test('golden documents exist for each collection that is not listed as unfilled', () => {
      const golden = Object.keys(readGolden(service));
      expect(golden.filter((name) => !(name in layouts))).toEqual([]);
      const listed = [...ofFaults, ...(unfilled[service] ?? [])];
      const missing = Object.keys(layouts).filter((name) => !golden.includes(name));
      expect(missing.filter((name) => !listed.includes(name))).toEqual([]);
      expect((unfilled[service] ?? []).filter((name) => !missing.includes(name))).toEqual([]);
    });

    test('golden documents keep every field of those of the release before', () => {
      const now = readGolden(service);
      const lost = Object.entries(goldenOfRelease(service)).flatMap(([name, document]) =>
        lostFields(document, [now[name]]).map((problem) => `${name}${problem}`),
      );
      expect(lost).toEqual([]);
    });
  },
);

/**
 * Golden documents of the commit that the baseline names; none if it has no such file, or if it
 * cannot be fetched into a shallow clone.
 */
function goldenOfRelease(service: string): Readonly<Record<string, unknown>> {
  if (!existsSync(baselineFile)) return {};
  const { commit } = JSON.parse(readFileSync(baselineFile, 'utf8')) as { commit: string };
  const path = goldenFile(service).slice(root.length + 1);
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (git('cat-file', '-e', commit).status !== 0) git('fetch', '--depth=1', 'origin', commit);
  if (git('cat-file', '-e', commit).status !== 0) {
    process.stderr.write(`Not compared: the last release ${commit} is not in this clone\n`);
    return {};
  }
  const shown = git('show', `${commit}:${path}`);
  return shown.status === 0 ? parseDocuments(shown.stdout) : {};
}

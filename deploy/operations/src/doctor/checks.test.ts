import { checksOf, type ServiceFacts, type SystemFacts } from './checks';

const now = new Date('2026-11-28T12:00:00Z');
const before = (ms: number) => new Date(now.getTime() - ms);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const after = (ms: number) => before(-ms);
const refusedAt = (at: Date) => [{ _id: 'DATA_KEYS', fingerprint: 'a7', refusedAt: at }];
const until = (at: Date) => [
  { stream: 'up' as const },
  { stream: 'up' as const, certificateUntil: at },
];

const healthy: ServiceFacts = {
  service: 'catalog',
  state: 'OPEN',
  releases: ['0.2.0'],
  outboxSince: undefined,
  dueSince: undefined,
  poisonMessages: 0,
  health: [{ stream: 'up' }],
  missingIndexes: [],
  fingerprints: [{ _id: 'DATA_KEYS', fingerprint: 'a7937b64b8caa58f' }],
  foldSince: undefined,
  sealedSecrets: new Map(),
  oldSecret: undefined,
};
const system: SystemFacts = {
  now,
  services: [healthy, { ...healthy, service: 'checkout' }],
  clockSkewMs: 12,
  databaseMs: 3,
  disk: { freeBytes: 50, totalBytes: 100 },
  lastBackupAt: before(hour),
};
const withOne = (facts: Partial<ServiceFacts>): SystemFacts => ({
  ...system,
  services: [healthy, { ...healthy, service: 'checkout', ...facts }],
});

test('a healthy system has no finding', () => {
  expect(checksOf(system)).toEqual([
    { name: 'replicas', ok: true, text: '2 of 0.2.0' },
    { name: 'state', ok: true, text: 'OPEN' },
    { name: 'clock', ok: true, text: '0.0 s ahead of the database' },
    { name: 'database', ok: true, text: 'answers within 0.0 s' },
    { name: 'disk', ok: true, text: '50 % free' },
    { name: 'stream', ok: true, text: 'there' },
    { name: 'indexes', ok: true, text: 'none is missing' },
    { name: 'fingerprints', ok: true, text: 'no other secret was used' },
    { name: 'outbox', ok: true, text: 'nothing waits' },
    { name: 'due work', ok: true, text: 'nothing waits' },
    { name: 'folding', ok: true, text: 'nothing waits' },
    { name: 'poison messages', ok: true, text: '0' },
    { name: 'certificates', ok: true, text: 'none are used' },
    { name: 'last backup', ok: true, text: '2026-11-28T11:00:00.000Z' },
    { name: 'data keys', ok: true, text: 'none needed' },
  ]);
});

test.each([
  [
    { waiting: 0, failed: undefined },
    { ok: true, text: '0 files wait' },
  ],
  [
    { waiting: 7, failed: '000000010000000000000004' },
    { ok: false, text: '000000010000000000000004 cannot be archived; 7 files wait' },
  ],
])('an archive in the state %j is a line of its own', (archiver, expected) => {
  expect(checksOf({ ...system, archiver })).toContainEqual({ name: 'archive', ...expected });
});

test('each key that stored secrets still need is counted, over all services', () => {
  const services = [
    { ...healthy, sealedSecrets: new Map([['2', 3]]) },
    {
      ...healthy,
      service: 'checkout',
      sealedSecrets: new Map([
        ['2', 4],
        ['1', 1],
      ]),
    },
  ];
  expect(checksOf({ ...system, services })).toContainEqual({
    name: 'data keys',
    ok: true,
    text: 'needed: 1 by 1, 2 by 7',
  });
});

test.each<[string, Map<string, number> | undefined, string[]]>([
  ['was never replaced', undefined, []],
  ['is not needed', new Map(), ['needed by nothing: remove API_KEY_PEPPER_OLD of checkout']],
  [
    'is needed',
    new Map([
      ['API key', 2],
      ['session', 1],
    ]),
    ['API_KEY_PEPPER_OLD of checkout needed by 2 API keys, 1 session'],
  ],
])('an old secret that %s', (_case, needs, texts) => {
  const oldSecret = { variable: 'API_KEY_PEPPER', needs };
  const found = checksOf(withOne({ oldSecret })).filter(({ name }) => name === 'old secret');
  expect(found).toEqual(texts.map((text) => ({ name: 'old secret', ok: true, text })));
});

test('the disk of other servers is not looked at', () => {
  const names = checksOf({ ...system, disk: undefined }).map(({ name }) => name);
  expect(names).not.toContain('disk');
});

test.each<[string, SystemFacts, string]>([
  ['replicas', withOne({ releases: [] }), 'none of checkout'],
  ['replicas', withOne({ releases: ['0.1.0', '0.2.0'] }), '3 of 0.1.0, 0.2.0'],
  ['state', withOne({ state: 'PAUSED' }), 'checkout PAUSED'],
  ['clock', { ...system, clockSkewMs: 2_001 }, '2.0 s ahead of the database'],
  ['clock', { ...system, clockSkewMs: -2_001 }, '2.0 s behind the database'],
  ['database', { ...system, databaseMs: 2_001 }, 'answers within 2.0 s'],
  ['disk', { ...system, disk: { freeBytes: 149, totalBytes: 1_000 } }, '14 % free'],
  ['stream', withOne({ health: [{ stream: 'down' }] }), 'not there for checkout'],
  ['stream', withOne({ health: [{ stream: 'up' }, { stream: 'short' }] }), 'lacks replicas'],
  [
    'indexes',
    withOne({ missingIndexes: ['invoices.dueInSlice', 'invoices.number'] }),
    'missing: checkout.invoices.dueInSlice, checkout.invoices.number: run npm run indexes',
  ],
  [
    'fingerprints',
    withOne({ fingerprints: refusedAt(before(15 * minute)) }),
    'checkout was started with another DATA_KEYS',
  ],
  ['folding', withOne({ foldSince: before(2 * hour + 1) }), 'oldest waits for 7200.0 s (checkout)'],
  [
    'certificates',
    withOne({ health: until(after(14 * day - 1)) }),
    'first expires at 2026-12-12T11:59:59.999Z (checkout)',
  ],
  [
    'outbox',
    withOne({ outboxSince: before(15 * minute + 1) }),
    'oldest waits for 900.0 s (checkout)',
  ],
  ['due work', withOne({ dueSince: before(hour) }), 'oldest waits for 3600.0 s (checkout)'],
  ['poison messages', withOne({ poisonMessages: 2 }), '2'],
  ['last backup', { ...system, lastBackupAt: undefined }, 'none was made'],
  ['last backup', { ...system, lastBackupAt: before(27 * hour) }, '2026-11-27T09:00:00.000Z'],
])('%s is the only finding, with its facts', (name, facts, text) => {
  expect(checksOf(facts).filter(({ ok }) => !ok)).toEqual([{ name, ok: false, text }]);
});

test.each<[string, SystemFacts]>([
  ['a clock at its limit', { ...system, clockSkewMs: 2_000 }],
  ['a disk at its limit', { ...system, disk: { freeBytes: 15, totalBytes: 100 } }],
  ['an outbox at its limit', withOne({ outboxSince: before(15 * minute) })],
  ['work that is due by a clock ahead', withOne({ dueSince: new Date(now.getTime() + hour) })],
  ['a replica that does not show the stream', withOne({ health: [] })],
  ['a refused start of before', withOne({ fingerprints: refusedAt(before(15 * minute + 1)) })],
  ['a fold at its limit', withOne({ foldSince: before(2 * hour) })],
  ['a certificate at its limit', withOne({ health: until(after(14 * day)) })],
  ['a backup at its limit', { ...system, lastBackupAt: before(26 * hour) }],
])('%s is no finding', (_name, facts) => {
  expect(checksOf(facts).filter(({ ok }) => !ok)).toEqual([]);
});

import { checksOf, type ServiceFacts, type SystemFacts } from './checks';

const now = new Date('2026-11-28T12:00:00Z');
const before = (ms: number) => new Date(now.getTime() - ms);
const minute = 60_000;
const hour = 60 * minute;

const healthy: ServiceFacts = {
  service: 'catalog',
  state: 'OPEN',
  releases: ['0.2.0'],
  outboxSince: undefined,
  dueSince: undefined,
  poisonMessages: 0,
  sealedSecrets: new Map(),
  oldSecret: undefined,
};
const system: SystemFacts = {
  now,
  services: [healthy, { ...healthy, service: 'checkout' }],
  clockSkewMs: 12,
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
    { name: 'disk', ok: true, text: '50 % free' },
    { name: 'outbox', ok: true, text: 'nothing waits' },
    { name: 'due work', ok: true, text: 'nothing waits' },
    { name: 'poison messages', ok: true, text: '0' },
    { name: 'last backup', ok: true, text: '2026-11-28T11:00:00.000Z' },
    { name: 'data keys', ok: true, text: 'none needed' },
  ]);
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
  ['disk', { ...system, disk: { freeBytes: 149, totalBytes: 1_000 } }, '14 % free'],
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
  ['a backup at its limit', { ...system, lastBackupAt: before(26 * hour) }],
])('%s is no finding', (_name, facts) => {
  expect(checksOf(facts).filter(({ ok }) => !ok)).toEqual([]);
});

import { type Announcement, toJsonLine, toText } from './announcement';

const announcement = {
  gatewayUrl: 'http://127.0.0.1:3000',
  publicUrl: 'http://127.0.0.1:3000',
  liveKey: 'billing_live_abc',
  testKey: 'billing_test_def',
  dataDir: '/repository/.data',
  logDir: '/repository/.data/logs',
  mongodbUri: 'mongodb://database',
  natsUrl: 'nats://stream',
  addresses: { catalog: 'unix:/run/catalog.sock' },
};

/** The text on a terminal. */
const shown = (given: Announcement, dataDirDefault = '') =>
  toText(given, { dataDirDefault, isTerminal: true });

test('the JSON announcement is exactly one line', () => {
  const line = toJsonLine({ ...announcement, pids: { gateway: 42 } });
  expect(line.split('\n')).toEqual([expect.any(String), '']);
  expect(JSON.parse(line)).toEqual({ ...announcement, pids: { gateway: 42 } });
});

test('the text has address, test key, folders and a command, but not the live key', () => {
  const text = shown(announcement, announcement.dataDir);
  for (const part of ['gatewayUrl', 'testKey', 'dataDir', 'logDir'] as const) {
    expect(text).toContain(announcement[part]);
  }
  expect(text).toContain('curl -s http://127.0.0.1:3000/v1/customers');
  expect(text).not.toContain('billing_live_abc');
});

test('the text has no test key and no example call once the first sandbox was deleted', () => {
  const { testKey: _deleted, ...rest } = announcement;
  const text = shown(rest, announcement.dataDir);
  expect(text).toContain('  Test key   none: the first sandbox was deleted;');
  expect(text).not.toContain('curl');
});

test('the text has the owner link, and later the address of the dashboard', () => {
  const ownerLink = 'http://127.0.0.1:3000/dashboard/invitation#token';
  expect(shown({ ...announcement, ownerLink })).toContain(
    `${ownerLink} (open it to create your account`,
  );
  expect(shown(announcement)).toContain('http://127.0.0.1:3000/dashboard\n');
});

test('the text has the demo command, with flags for an address and a folder other than the defaults', () => {
  const { dataDir } = announcement;
  const elsewhere = { gatewayUrl: 'http://127.0.0.1:4000', dataDir: "/tmp/Ada's data" };
  expect(shown(announcement, dataDir)).toContain('  npm run demo (in another terminal)\n');
  expect(shown({ ...announcement, ...elsewhere }, dataDir)).toContain(
    "  npm run demo -- --url http://127.0.0.1:4000 --data '/tmp/Ada'\\''s data' (in",
  );
});

test('an output that is no terminal gets no key and no link, but the file of the keys', () => {
  const ownerLink = 'http://127.0.0.1:3000/dashboard/invitation#token';
  const text = toText({ ...announcement, ownerLink }, { dataDirDefault: '', isTerminal: false });
  expect(text.split('\n')).toContain('Keys are in /repository/.data/keys.json');
  expect(text).not.toMatch(/billing_(live|test)_|token/);
});

test('addresses for people begin with the public URL', () => {
  const publicUrl = 'https://pay.example.com';
  const text = shown({ ...announcement, publicUrl });
  expect(text).toContain('  Dashboard  https://pay.example.com/dashboard\n');
  expect(text).toContain('  Docs       https://pay.example.com/docs\n');
  expect(text).toContain('  Gateway    http://127.0.0.1:3000\n');
});

import { toJsonLine, toText } from './announcement';

const announcement = {
  gatewayUrl: 'http://127.0.0.1:3000',
  liveKey: 'billing_live_abc',
  testKey: 'billing_test_def',
  dataDir: '/repository/.data',
  logDir: '/repository/.data/logs',
  mongodbUri: 'mongodb://database',
  natsUrl: 'nats://stream',
  addresses: { catalog: 'unix:/run/catalog.sock' },
};

test('the JSON announcement is exactly one line', () => {
  const line = toJsonLine({ ...announcement, pids: { gateway: 42 } });
  expect(line.split('\n')).toEqual([expect.any(String), '']);
  expect(JSON.parse(line)).toEqual({ ...announcement, pids: { gateway: 42 } });
});

test('the text has address, test key, folders and a command, but not the live key', () => {
  const text = toText(announcement, announcement.dataDir);
  for (const part of ['gatewayUrl', 'testKey', 'dataDir', 'logDir'] as const) {
    expect(text).toContain(announcement[part]);
  }
  expect(text).toContain('curl -s http://127.0.0.1:3000/v1/customers');
  expect(text).not.toContain('billing_live_abc');
});

test('the text has no test key and no example call once the first sandbox was deleted', () => {
  const { testKey: _deleted, ...rest } = announcement;
  const text = toText(rest, announcement.dataDir);
  expect(text).toContain('  Test key   none: the first sandbox was deleted;');
  expect(text).not.toContain('curl');
});

test('the text has the owner link, and later the address of the dashboard', () => {
  const ownerLink = 'http://127.0.0.1:3000/dashboard/invitation#token';
  expect(toText({ ...announcement, ownerLink }, '')).toContain(
    `${ownerLink} (sign-in link of the owner`,
  );
  expect(toText(announcement, '')).toContain('http://127.0.0.1:3000/dashboard\n');
});

test('the text has the demo command, with flags for an address and a folder other than the defaults', () => {
  const { dataDir } = announcement;
  const elsewhere = { gatewayUrl: 'http://127.0.0.1:4000', dataDir: "/tmp/Ada's data" };
  expect(toText(announcement, dataDir)).toContain('  npm run demo (in another terminal)\n');
  expect(toText({ ...announcement, ...elsewhere }, dataDir)).toContain(
    "  npm run demo -- --url http://127.0.0.1:4000 --data '/tmp/Ada'\\''s data' (in",
  );
});

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

test('scripts get all of it in exactly one line', () => {
  const line = toJsonLine({ ...announcement, pids: { gateway: 42 } });
  expect(line.split('\n')).toEqual([expect.any(String), '']);
  expect(JSON.parse(line)).toEqual({ ...announcement, pids: { gateway: 42 } });
});

test('people see address, test key, folders and a command, and the live key stays in its file', () => {
  const text = toText(announcement, announcement.dataDir);
  for (const part of ['gatewayUrl', 'testKey', 'dataDir', 'logDir'] as const) {
    expect(text).toContain(announcement[part]);
  }
  expect(text).toContain('curl -s http://127.0.0.1:3000/v1/customers');
  expect(text).not.toContain('billing_live_abc');
});

test('people see that there is no test key once the first sandbox was deleted, and no example call', () => {
  const { testKey: _deleted, ...rest } = announcement;
  const text = toText(rest, announcement.dataDir);
  expect(text).toContain('  Test key   none: the first sandbox was deleted;');
  expect(text).not.toContain('curl');
});

test('people see how to become the dashboard’s owner, and later where it is', () => {
  const ownerLink = 'http://127.0.0.1:3000/dashboard/invitation#token';
  expect(toText({ ...announcement, ownerLink }, '')).toContain(`${ownerLink} (makes you its owner`);
  expect(toText(announcement, '')).toContain('http://127.0.0.1:3000/dashboard\n');
});

test('people see the command that fills a sandbox, with what is not where it looks by itself', () => {
  const { dataDir } = announcement;
  const elsewhere = { gatewayUrl: 'http://127.0.0.1:4000', dataDir: "/tmp/Ada's data" };
  expect(toText(announcement, dataDir)).toContain('  npm run demo (in another terminal)\n');
  expect(toText({ ...announcement, ...elsewhere }, dataDir)).toContain(
    "  npm run demo -- --url http://127.0.0.1:4000 --data '/tmp/Ada'\\''s data' (in",
  );
});

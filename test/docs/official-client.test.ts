import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { codeBlocks } from './code-blocks';

const run = promisify(execFile);
const guide = 'gateway/docs/guides/official-client.md';

// A client with a fixed address, which no server has.
const program = `
const call = (url, init) => fetch(url, { ...init, headers: {
  authorization: 'Bearer ' + process.env.KEY, 'content-type': 'application/json' } });
const created = await call('https://api.vendor.invalid/v1/customers', {
  method: 'POST', body: JSON.stringify({ email: 'ada@example.com' }) });
const listed = await call(new URL('https://api.vendor.invalid/v1/customers?email=ada@example.com'));
const other = await fetch(process.env.OTHER_URL);
console.log(JSON.stringify([created.status, await created.json(), (await listed.json()).data, other.status]));
`;

let system: TestSystem;
let folder: string;

beforeAll(async () => {
  system = await joinTestSystem();
  folder = await mkdtemp(join(tmpdir(), 'billing-guide-'));
});

afterAll(() => rm(folder, { recursive: true }));

test('a program with the module of the guide sends the requests of its client to this server', async () => {
  const [module = ''] = codeBlocks(guide, 'js');
  expect(module.trim().split('\n').length).toBeLessThanOrEqual(10);
  await writeFile(join(folder, 'billing.mjs'), module);
  await writeFile(join(folder, 'program.mjs'), program);
  const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const { stdout } = await run(process.execPath, ['--import', './billing.mjs', 'program.mjs'], {
    cwd: folder,
    env: {
      BILLING_URL: system.gatewayUrl,
      CLIENT_ORIGIN: 'https://api.vendor.invalid',
      KEY: sandbox.key,
      OTHER_URL: `${system.gatewayUrl}/healthz`,
    },
  });
  const [status, customer, listed, other] = JSON.parse(stdout);
  expect([status, other]).toEqual([201, 200]);
  expect(listed).toEqual([customer]);
  expect((await sandbox.get(`/customers/${String(customer.id)}`)).body).toEqual(customer);
});

test('an endpoint is registered with the prefix of the guide', async () => {
  const [input = ''] = codeBlocks(guide, 'json');
  const endpoint = await system.sandbox.expect(
    201,
    system.sandbox.post('/webhook-endpoints', JSON.parse(input)),
  );
  expect(endpoint).toMatchObject(JSON.parse(input));
  await system.sandbox.delete(`/webhook-endpoints/${String(endpoint.id)}`);
});

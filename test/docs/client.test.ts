import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { eventually } from '@billing/chassis/testing';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver } from '../support/webhook-receiver';

const run = promisify(execFile);
const compiler = join(__dirname, '../../node_modules/typescript-native/bin/tsc');

// A shop, in each module system: it must print the same.
const shop = `
const billing = new Billing({ apiKey: process.env.KEY, baseUrl: process.env.URL });
async function main() {
  const customer = await billing.customers.create({ email: 'ada@example.com', name: 'Ada' });
  const product = await billing.products.create({
    name: 'Pro', type: 'FLAT', amount: 2900, currency: 'USD', billingInterval: 'MONTHLY' });
  const subscription = await billing.subscriptions.create({ customerId: customer.id, productId: product.id });
  const page = await billing.subscriptions.list({ customerId: customer.id });
  const ids = [];
  for await (const { id } of billing.subscriptions.list({ customerId: customer.id })) ids.push(id);
  const refused = await billing.customers.create({ email: 'no' }).catch((error) => error);
  console.log(JSON.stringify({
    status: customer.response.status, isListed: ids.length === 1 && ids[0] === subscription.id, total: page.total,
    refused: [refused instanceof BillingError, refused.status, refused.fields] }));
}
main();
`;

const typed = `
import { Billing, type WebhookEvent } from '@billing/client';
const billing = new Billing({ apiKey: 'k', baseUrl: 'https://pay.example.com' });
export async function right(event: WebhookEvent): Promise<string[]> {
  const { data } = await billing.invoices.list({ status: 'OPEN' });
  const texts: string[] = data.map(({ id }) => id);
  for await (const customer of billing.customers.list()) texts.push(customer.email);
  if (event.type === 'subscription.created') texts.push(event.subscriptionId);
  const { response, status } = await billing.subscriptions.cancel('s', { atPeriodEnd: true });
  return [...texts, status, String(response.requestId)];
}
export const wrong = () => [
  // @ts-expect-error -- an email is a text
  billing.customers.create({ email: 5 }),
  // @ts-expect-error -- the API has no such operation
  billing.invoices.remove('i'),
  // @ts-expect-error -- a subscription is cancelled by its id
  billing.subscriptions.cancel({ atPeriodEnd: true }),
];
`;

let system: TestSystem;
let folder: string;

beforeAll(async () => {
  system = await joinTestSystem();
  folder = await mkdtemp(join(tmpdir(), 'billing-client-'));
  const answer = await fetch(`${system.gatewayUrl}/downloads/client.tgz`);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  await writeFile(join(folder, 'client.tgz'), Buffer.from(await answer.arrayBuffer()));
  const installed = join(folder, 'node_modules/@billing/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, 'client.tgz'), '-C', installed, '--strip-components=1']);
});

afterAll(() => rm(folder, { recursive: true }));

test('the packed client runs as a module of either kind', async () => {
  const { key, gatewayUrl } = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  await writeFile(
    join(folder, 'shop.mjs'),
    `import { Billing, BillingError } from '@billing/client';${shop}`,
  );
  await writeFile(
    join(folder, 'shop.cjs'),
    `const { Billing, BillingError } = require('@billing/client');${shop}`,
  );
  for (const program of ['shop.mjs', 'shop.cjs']) {
    const { stdout } = await run(process.execPath, [program], {
      cwd: folder,
      env: { KEY: key, URL: gatewayUrl },
    });
    expect(JSON.parse(stdout)).toEqual({
      status: 201,
      isListed: true,
      total: 1,
      refused: [true, 400, { email: ['Invalid email'] }],
    });
  }
});

test.each([
  ['node16', 'node16'],
  ['preserve', 'bundler'],
])('its types hold with modules %s', async (module, resolution) => {
  await writeFile(join(folder, 'typed.mts'), typed);
  const flags = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom'];
  const modules = ['--module', module, '--moduleResolution', resolution, '--types', ''];
  const { stdout } = await run(process.execPath, [compiler, ...flags, ...modules, 'typed.mts'], {
    cwd: folder,
  }).catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});

test('it verifies real webhooks and refuses changed ones', async () => {
  const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const receiver = await startWebhookReceiver();
  try {
    const endpoint = await sandbox.expect(
      201,
      sandbox.post('/webhook-endpoints', { url: receiver.url, events: ['*'] }),
    );
    await sandbox.expect(202, sandbox.post(`/webhook-endpoints/${String(endpoint.id)}/test`));
    await eventually(() => {
      expect(receiver.received.length).toBeGreaterThan(0);
    });
    const [delivery] = receiver.received;
    const program = `
      import { Billing } from '@billing/client';
      const { webhooks } = new Billing({ apiKey: 'k', baseUrl: 'http://a' });
      const [body, headers, secret] = JSON.parse(process.env.DELIVERY);
      const outcome = (changed) => {
        try { return webhooks.unwrap(changed, headers, secret).type; } catch (error) { return error.reason; } };
      console.log(JSON.stringify([outcome(body), outcome(body.replace('"', ' "'))]));`;
    await writeFile(join(folder, 'verify.mjs'), program);
    const given = [delivery?.text, delivery?.headers, endpoint.secret];
    const { stdout } = await run(process.execPath, ['verify.mjs'], {
      cwd: folder,
      env: { DELIVERY: JSON.stringify(given) },
    });
    expect(JSON.parse(stdout)).toEqual([delivery?.body.type, 'no_matching_signature']);
  } finally {
    await receiver.close();
  }
});

test('the downloads are small', async () => {
  const sizes = await Promise.all(
    ['client.tgz', 'cli.tgz'].map(async (name) => {
      const answer = await fetch(`${system.gatewayUrl}/downloads/${name}`);
      return (await answer.arrayBuffer()).byteLength;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(2_000_000);
  const module = await readFile(join(folder, 'node_modules/@billing/client/dist/index.mjs'));
  expect(gzipSync(module).length).toBeLessThanOrEqual(20_000);
});

test('the command line has the licenses of the packages that it contains', async () => {
  const answer = await fetch(`${system.gatewayUrl}/downloads/cli.tgz`);
  const file = join(folder, 'cli.tgz');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const notices = 'package/THIRD-PARTY-NOTICES';
  const { stdout } = await run('tar', ['-xzOf', file, notices]);
  const titles = [...stdout.matchAll(/^={80}\n(\S+) [\d.]+ \((.+)\)$/gm)];
  const licenses = Object.fromEntries(titles.map(([, name, license]) => [name, license]));
  expect(licenses).toMatchObject({
    ...{ '@modelcontextprotocol/sdk': 'MIT', commander: 'MIT', zod: 'MIT' },
    // Within another package.
    'css-select': 'BSD-2-Clause',
  });
  expect(stdout).toContain('Permission is hereby granted, free of charge');
});

test('the download of a version never changes, and unknown ones are not found', async () => {
  const get = (name: string, headers = {}) =>
    fetch(`${system.gatewayUrl}/downloads/${name}`, { headers });
  const latest = await get('client.tgz');
  const etag = latest.headers.get('etag') ?? '';
  expect((await get('client.tgz', { 'if-none-match': etag })).status).toBe(304);
  const version = await get('client-0.1.0.tgz');
  expect(version.headers.get('cache-control')).toContain('immutable');
  expect(version.headers.get('etag')).toBe(etag);
  for (const name of ['client-9.9.9.tgz', 'other.tgz', '..%2f..%2fpackage.json', 'client']) {
    expect((await get(name)).status).toBe(404);
  }
});

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { kindsOfSubscriptions } from '../support/every-kind';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { startWebhookReceiver } from '../support/webhook-receiver';

const program = join(__dirname, '../../gateway/cli/dist/billing.cjs');

let system: TestSystem;
let folder: string;
let sandbox: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  folder = await mkdtemp(join(tmpdir(), 'billing-cli-'));
  sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
});

afterAll(() => rm(folder, { recursive: true }));

interface Ran {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command line in a pipe, with the profiles of this file. */
async function billing(args: readonly string[], input = ''): Promise<Ran> {
  return await run(process.execPath, [program, ...args], input);
}

/** Runs it on a terminal, on which `input` is typed. */
async function typed(args: readonly string[], input: string): Promise<Ran> {
  const command = [process.execPath, program, ...args].join(' ');
  return await run('script', ['--quiet', '--return', '--command', command, '/dev/null'], input);
}

async function run(
  command: string,
  args: readonly string[],
  input: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran> {
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, ...variables };
  const child = spawn(command, args, { cwd: folder, env });
  child.stdin.end(input);
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { status, output, errors };
}

/** Runs a command that must succeed, and reads its lines of JSON. */
async function linesOf(...args: string[]): Promise<any[]> {
  const { status, output, errors } = await billing(args);
  expect({ status, errors: status === 0 ? '' : errors }).toEqual({ status: 0, errors: '' });
  return output
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function signIn(name: string, key: string | undefined): Promise<Ran> {
  return await billing(['--profile', name, 'login', '--url', system.gatewayUrl], key);
}

test('without a key every command asks to sign in', async () => {
  for (const args of [
    ['status'],
    ['clock'],
    ['api', 'GET', '/v1/customers'],
    ['doctor'],
    ['mcp'],
  ]) {
    expect(await billing(args)).toMatchObject({
      status: 3,
      errors: expect.stringMatching(/billing login/),
    });
  }
});

test('login stores an accepted key where only its owner can read it', async () => {
  const refused = await signIn('wrong', 'billing_test_wrong');
  expect(refused).toMatchObject({ status: 1, output: '' });
  await expect(stat(join(folder, 'billing'))).rejects.toThrow();
  expect(await signIn('live', system.live.key)).toMatchObject({ status: 0 });
  expect(await signIn('test', sandbox.key)).toMatchObject({ status: 0 });
  const file = join(folder, 'billing/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'billing'))).mode & 0o777).toBe(0o700);
  expect(await linesOf('profiles')).toMatchObject([
    { name: 'live', live: true, current: false },
    { name: 'test', live: false, current: true },
  ]);
  expect(await linesOf('status')).toMatchObject([
    { url: system.gatewayUrl, profile: 'test', environment: 'sandbox', clock: 'MANUAL' },
  ]);
});

test('a key typed on a terminal is not shown', async () => {
  const { output } = await typed(
    ['--profile', 'typed', 'login', '--url', system.gatewayUrl],
    `${String(sandbox.key)}\n`,
  );
  expect(output).toContain('Signed in');
  // The terminal itself may show what is typed before the program starts to read.
  expect(output.split('API key:')[1]).not.toContain(sandbox.key);
  expect(await billing(['--profile', 'typed', 'logout'])).toMatchObject({ status: 0 });
  expect(await signIn('test', sandbox.key)).toMatchObject({ status: 0 });
});

test('api sends a request and prints its answer', async () => {
  const body = join(folder, 'body.json');
  await writeFile(body, JSON.stringify({ email: 'file@example.com' }));
  for (const [data, input] of [
    ['{"email":"flag@example.com"}', ''],
    [`@${body}`, ''],
    ['-', '{"email":"pipe@example.com"}'],
  ] as const) {
    const { status, output } = await billing(
      ['api', 'post', '/v1/customers', '--data', data],
      input,
    );
    // One line: the output is no terminal.
    expect(output.trim()).not.toContain('\n');
    expect([status, JSON.parse(output).email]).toEqual([0, expect.stringMatching(/^\w+@example/)]);
  }
  expect((await sandbox.get('/customers')).body.total).toBe(3);
  const refused = await billing(['api', 'POST', '/v1/customers', '--data', '{"email":"no"}']);
  expect(refused).toMatchObject({
    status: 1,
    output: '',
    errors: expect.stringMatching(/Invalid email.*\nRequest /),
  });
});

test.each([
  ['an unknown command', ['nonsense']],
  ['a missing argument', ['api', 'GET']],
  ['an unknown flag', ['status', '--nonsense']],
  ['another method', ['api', 'PUT', '/v1/customers']],
  ['a path outside the API', ['api', 'GET', '/dashboard']],
  ['a body that is no JSON', ['api', 'POST', '/v1/customers', '--data', '{']],
  ['a time without a zone', ['clock', 'advance', '2026-03-01']],
  ['an unknown kind', ['trigger', 'subscription.exploded']],
  ['an unknown shell', ['completion', 'csh']],
  ['a shell that is a property of objects', ['completion', 'constructor']],
  ['a kind that is a property of objects', ['trigger', 'constructor']],
  ['a day that its month does not have', ['clock', 'advance', '2026-02-30T00:00:00Z']],
  ['a sandbox without a place for its key', ['--profile', 'live', 'sandbox', 'create']],
  ['a live change without a terminal', ['--profile', 'live', 'api', 'POST', '/v1/customers']],
  ['a live clock without a terminal', ['--profile', 'live', 'clock', 'advance', '+1d']],
  ['a path that leads out of the API', ['api', 'GET', '/v1/../dashboard']],
  ['an address without its scheme', ['login', '--url', 'localhost:3000']],
])('%s is wrong usage', async (_name, args) => {
  expect(await billing(args)).toMatchObject({ status: 2, output: '' });
});

test('a change with a live key is confirmed on a terminal', async () => {
  const args = ['--profile', 'live', 'api', 'POST', '/v1/customers', '--data', "'{}'"];
  expect((await typed(args, 'no\n')).output).toContain('Nothing was changed');
  expect((await typed(args, 'live\n')).output).toContain('Required');
  const allowed = await billing(['--profile', 'live', '--live', 'api', 'POST', '/v1/customers']);
  expect(allowed).toMatchObject({ status: 1, errors: expect.stringMatching(/Required/) });
});

/** Runs a line of shell in which $BILLING is the program. */
async function shell(
  line: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran> {
  const env = { BILLING: `${process.execPath} ${program}`, ...variables };
  return await run('bash', ['--norc', '-o', 'pipefail', '-c', line], '', env);
}

test('an output that cannot be written is a failure, but not a pipe that is closed', async () => {
  expect(await shell('$BILLING --help > /dev/full')).toMatchObject({
    status: 1,
    errors: expect.stringMatching(/^The output is incomplete: .*ENOSPC/),
  });
  expect(await shell('$BILLING --help | true')).toMatchObject({ status: 0, errors: '' });
  await sandbox.expect(201, sandbox.post('/customers', { email: 'export@example.com' }));
  for (const line of ['export customers > /dev/full', 'export customers | true']) {
    const { status, errors } = await shell(`$BILLING --profile test ${line}`);
    expect([line, status, errors]).toEqual([line, 1, expect.stringMatching(/^The output is/)]);
  }
});

test('variables name the server of a key, never that of a key in a profile', async () => {
  const other = { BILLING_URL: 'http://127.0.0.1:9' };
  expect(await shell('$BILLING status', other)).toEqual({
    status: 2,
    output: '',
    errors: 'BILLING_URL needs BILLING_API_KEY: the profile has another URL\n',
  });
  expect(await shell('$BILLING status', { BILLING_URL: system.gatewayUrl })).toMatchObject({
    status: 0,
  });
  const keyAlone = { BILLING_API_KEY: sandbox.key, XDG_CONFIG_HOME: join(folder, 'none') };
  expect(await shell('$BILLING status', keyAlone)).toMatchObject({
    status: 3,
    errors: 'BILLING_URL is missing\n',
  });
});

test('a key that may read customers alone has a status, and doctor says what it hides', async () => {
  const { body } = await sandbox.post('/api-keys', { name: 'Agent', scopes: ['customers:read'] });
  const env = { BILLING_API_KEY: body.key, BILLING_URL: system.gatewayUrl };
  const { status, output } = await shell('$BILLING status', env);
  expect([status, JSON.parse(output)]).toEqual([
    0,
    expect.objectContaining({ environment: 'sandbox', clock: null, now: null }),
  ]);
  const examined = await shell('$BILLING doctor', env);
  expect(examined).toMatchObject({ status: 0 });
  const found = 'not readable with this key';
  for (const check of ['endpoints', 'gaps']) {
    expect(examined.output).toContain(JSON.stringify({ check, ok: true, found }));
  }
});

test('no sandbox is made if its key cannot be stored', async () => {
  const before = (await system.live.get('/sandboxes')).body.total;
  const file = join(folder, 'file');
  await writeFile(file, '');
  const variables = { BILLING_API_KEY: system.live.key, BILLING_URL: system.gatewayUrl };
  const line = '$BILLING --live sandbox create --use';
  const ran = await shell(line, { ...variables, XDG_CONFIG_HOME: file });
  expect(ran).toMatchObject({
    status: 1,
    output: '',
    errors: expect.stringMatching(/ENOTDIR|read/),
  });
  expect((await system.live.get('/sandboxes')).body.total).toBe(before);
});

test('each help has an example', async () => {
  for (const args of [[], ['login'], ['sandbox', 'create'], ['clock', 'advance'], ['mcp']]) {
    const { status, output } = await billing([...args, '--help']);
    expect([args, status, output]).toEqual([
      args,
      0,
      expect.stringMatching(/Example:\n {2}billing /),
    ]);
  }
});

test('sandboxes are made, used, advanced and deleted', async () => {
  const [made] = await linesOf(
    ...['--profile', 'live', '--live', 'sandbox', 'create', '--manual'],
    ...['--starts-at', '2026-01-31T00:00:00Z', '--use'],
  );
  expect(made).not.toHaveProperty('key');
  expect(await linesOf('clock')).toEqual([{ clock: 'MANUAL', now: '2026-01-31T00:00:00.000Z' }]);
  expect(await linesOf('clock', 'advance', '+1mo')).toMatchObject([
    { now: '2026-02-28T00:00:00.000Z' },
  ]);
  expect(await linesOf('clock', 'stop')).toMatchObject([{ clock: 'MANUAL' }]);
  const listed = await linesOf('--profile', 'live', 'sandbox', 'list');
  expect(listed.map(({ id }) => id)).toContain(made.id);
  const removed = await billing(['--profile', 'live', '--live', 'sandbox', 'delete', made.id]);
  expect(removed).toMatchObject({ status: 0 });
  expect(await billing(['clock'])).toMatchObject({
    status: 1,
    errors: expect.stringMatching(/Invalid or expired/),
  });
  expect(await billing(['--profile', 'test', 'sandbox', 'list'])).toMatchObject({ status: 1 });
});

test('trigger makes each kind happen', async () => {
  const api = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  await signIn('trigger', api.key);
  for (const kind of [...kindsOfSubscriptions, 'checkout.completed', 'checkout.expired']) {
    const [made] = await linesOf('trigger', kind);
    if (kind.startsWith('checkout.')) {
      const { body } = await api.get(`/checkout/${String(made.sessionId)}`);
      expect(body.status).toBe(kind === 'checkout.completed' ? 'COMPLETE' : 'EXPIRED');
    } else {
      expect((await api.get(`/subscriptions/${String(made.subscriptionId)}`)).status).toBe(200);
    }
  }
  const live = await billing(['--profile', 'live', 'trigger', 'subscription.created']);
  expect(live).toMatchObject({ status: 1, errors: 'trigger works in sandboxes only\n' });
});

test('listen forwards each event once, in order, while the receiver fails at first', async () => {
  const api = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  await signIn('listen', api.key);
  const receiver = await startWebhookReceiver();
  receiver.respond = () => (receiver.received.length === 1 ? 500 : 200);
  const args = [program, 'listen', '--after', '0', '--forward-to', receiver.url];
  const child = spawn(process.execPath, args, { env: { XDG_CONFIG_HOME: folder } });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  try {
    await linesOf('trigger', 'subscription.renewed');
    const { body } = await api.get('/webhook-events');
    const expected = body.data.map(({ event }: any) => event);
    expect(expected.length).toBeGreaterThan(2);
    await eventually(() => {
      // The first event was sent twice.
      expect(receiver.received.slice(1).map((one) => one.body)).toEqual(expected);
    });
  } finally {
    child.kill('SIGTERM');
    await receiver.close();
  }
  const printed = (await output).trim().split('\n');
  expect(printed.map((line) => JSON.parse(line).cursor)[0]).toBe('1');
  const [, secret = ''] = /Secret of the signatures: (\S+)/.exec(await errors) ?? [];
  const [first] = receiver.received;
  const verify = () => new Webhook(secret).verify(first?.text ?? '', first?.headers as any);
  expect(verify).not.toThrow();
  // Nothing of it is left at the server.
  expect((await api.get('/webhook-endpoints')).body.total).toBe(0);
});

test('a server without the feed is told to be updated', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"error":"Not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const env = { BILLING_API_KEY: sandbox.key, BILLING_URL: url };
  for (const line of ['$BILLING listen', '$BILLING listen --after 0']) {
    expect(await shell(line, env)).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/This server has no event feed; update it\n$/),
    });
  }
  server.close();
});

test('doctor finds a disabled endpoint', async () => {
  await signIn('test', sandbox.key);
  expect(await linesOf('doctor')).toEqual([
    { check: 'server', ok: true, found: `${system.gatewayUrl} answers` },
    { check: 'TLS', ok: true, found: 'not used, on this machine' },
    { check: 'clock', ok: true, found: expect.any(String) },
    { check: 'release', ok: true, found: expect.any(String) },
    { check: 'key', ok: true, found: 'accepted, sandbox, all scopes' },
    { check: 'endpoints', ok: true, found: '0 enabled' },
    { check: 'gaps', ok: true, found: 'none' },
  ]);
  const url = 'http://127.0.0.1:9/hook';
  const { id } = await sandbox.expect(201, sandbox.post('/webhook-endpoints', { url }));
  const off = { body: { active: false } };
  await sandbox.expect(200, sandbox.request('PATCH', `/webhook-endpoints/${String(id)}`, off));
  expect(await billing(['doctor'])).toMatchObject({
    status: 1,
    output: expect.stringContaining(`"check":"endpoints","ok":false,"found":"disabled: ${url}"`),
  });
  expect((await typed(['doctor'], '')).output).toContain(`FAIL  endpoints: disabled: ${url}`);
});

test('no output and no file but the profiles contains a key', async () => {
  const shown = await Promise.all(
    [['status'], ['profiles'], ['--help'], ['doctor']].map((args) => billing(args)),
  );
  const texts = shown.flatMap(({ output, errors }) => [output, errors]).join('\n');
  expect(texts).not.toContain(sandbox.key);
  expect(await readFile(join(folder, 'billing/config.json'), 'utf8')).toContain(sandbox.key);
});

describe('export', () => {
  test('writes all objects of a resource, and checks their end', async () => {
    await signIn('sandbox', sandbox.key);
    for (const email of ['one@example.com', 'two@example.com']) {
      await sandbox.expect(201, sandbox.post('/customers', { email }));
    }
    const rows = await linesOf('--profile', 'sandbox', 'export', 'customers');
    expect(rows.map(({ email }) => email)).toEqual(
      (await sandbox.all('/customers?order=asc')).map(({ email }) => email),
    );
    const csv = await billing(['--profile', 'sandbox', 'export', 'customers', '--format', 'csv']);
    expect(csv).toMatchObject({ status: 0, errors: '' });
    expect(csv.output.split('\r\n')).toHaveLength(rows.length + 2);
    const later = ['--profile', 'sandbox', 'export', 'customers', '--from', '2026-02-01T00:00:00Z'];
    expect(await billing(later)).toMatchObject({ status: 0, output: '', errors: '' });
  });

  test('of an unknown resource fails', async () => {
    expect(await billing(['--profile', 'sandbox', 'export', 'nothing'])).toMatchObject({
      status: 1,
      output: '',
      errors: expect.stringMatching(/^Not found \(not_found\)\nRequest \S+\n$/),
    });
  });

  test.each([
    ['incomplete: its end is missing.\nA proxy may have dropped its trailers', undefined],
    ['damaged: its digest is wrong', 'sha-256=:AAAA:'],
  ])('says that it is %j', async (problem, digest) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { Trailer: 'Content-Digest' });
      response.write('{"id":"a"}\n');
      if (digest !== undefined) response.addTrailers({ 'Content-Digest': digest });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const env = { BILLING_API_KEY: sandbox.key, BILLING_URL: url };
    const ran = await run(process.execPath, [program, 'export', 'customers'], '', env);
    server.close();
    expect(ran).toMatchObject({ status: 1, errors: expect.stringContaining(problem) });
  });
});

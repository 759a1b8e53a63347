import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { productVersion } from '@billing/chassis/version';
import { makeSharedFolder } from './files/account';
import { type Announcement, toText } from './announcement';
import { identify, isAlive, type ProcessIdentity } from './process/identity';

/** These tests run `npm start` on a data folder of their own. */
const root = join(__dirname, '../../..');
const bootstrap = join(root, 'deploy/local/run.mjs');
const START_TIMEOUT_MS = 300_000;
jest.setTimeout(2 * START_TIMEOUT_MS);

const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
type Command = ChildProcessByStdio<null, Readable, Readable>;

interface Started {
  command: ChildProcess;
  announcement: Announcement;
  output: () => string;
}

let dataDir: string;
const commands: ChildProcess[] = [];

async function makeDataDir(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'billing-test-data-'));
  await makeSharedFolder(dataDir);
}

/** Ends what runs on it first. */
async function removeDataDir(): Promise<void> {
  for (const command of commands.splice(0)) await end(command, 'SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}

const argumentsOf = (...flags: string[]) => ['--json', '--port', '0', '--data', dataDir, ...flags];

async function start(...flags: string[]): Promise<Started> {
  return startWith({}, ...flags);
}

async function startWith(variables: NodeJS.ProcessEnv, ...flags: string[]): Promise<Started> {
  const args = [bootstrap, 'start', ...argumentsOf(...flags)];
  return announced(
    spawn(process.execPath, args, { stdio, env: { ...ownServers(), ...variables } }),
  );
}

/** By the command of the guide. npm prints lines of its own, too. */
async function startByNpm(): Promise<Started> {
  const args = ['start', '--', ...argumentsOf()];
  return announced(spawn('npm', args, { stdio, cwd: root, env: ownServers() }));
}

/** Variables without the servers of the test run. */
function ownServers(): NodeJS.ProcessEnv {
  const { MONGODB_URI: _mongodb, NATS_URL: _nats, ...env } = process.env;
  return env;
}

/** Waits for the announcement of a start. */
async function announced(command: Command): Promise<Started> {
  commands.push(command);
  let output = '';
  let progress = '';
  command.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  command.stderr.setEncoding('utf8').on('data', (chunk: string) => (progress += chunk));
  const isAnnounced = () => /gatewayUrl.*\n$/.test(output);
  await until(() => isAnnounced() || command.exitCode !== null, START_TIMEOUT_MS);
  if (!isAnnounced()) throw new Error(`npm start failed:\n${progress}`);
  const announcement = JSON.parse(output.slice(output.indexOf('{"'))) as Announcement;
  return { command, announcement, output: () => output };
}

/** Runs a start that must fail. */
async function refusedStart(...flags: string[]) {
  return refusedStartWith({}, ...flags);
}

async function refusedStartWith(variables: NodeJS.ProcessEnv, ...flags: string[]) {
  const args = [bootstrap, 'start', ...argumentsOf(...flags)];
  const ended = await promisify(execFile)(process.execPath, args, {
    env: { ...ownServers(), ...variables },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  return { status: ended.code, output: ended.stdout, errors: ended.stderr };
}

async function end(command: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (command.exitCode === null && command.signalCode === null) {
    command.kill(signal);
    await new Promise((resolve) => command.once('exit', resolve));
  }
  return command.exitCode;
}

async function createCustomer({ gatewayUrl }: Announcement, key: string): Promise<string> {
  const response = await fetch(`${gatewayUrl}/v1/customers`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com' }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function readCustomer({ gatewayUrl }: Announcement, key: string, id: string) {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${gatewayUrl}/v1/customers/${id}`, { headers })).status;
}

/** Request of the page behind the owner's link. */
async function readInvitation({ gatewayUrl, ownerLink }: Announcement): Promise<unknown> {
  const token = (ownerLink ?? '').split('#').at(-1) ?? '';
  const answer = await fetch(`${gatewayUrl}/dashboard/api/invitations/look`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ token }),
  });
  return answer.json();
}

async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('The condition was not met in time');
    await delay(50);
  }
}

/** Only the launcher's user may read the files of the data folder. */
async function expectPrivateFiles(): Promise<void> {
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  expect(await modeOf(dataDir)).toBe('711');
  const below: Record<string, string> = {};
  for (const folder of [dataDir, join(dataDir, 'logs'), join(dataDir, 'databases')]) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const kind = entry.isDirectory() ? 'folder' : 'file';
      below[`${kind} ${entry.name}`] = await modeOf(join(folder, entry.name));
    }
  }
  for (const [name, mode] of Object.entries(below)) {
    expect([name, mode]).toEqual([name, name.startsWith('folder') ? '700' : '600']);
  }
  expect(Object.keys(below)).toEqual(
    expect.arrayContaining([
      'folder logs',
      'file keys.json',
      'file secrets.json',
      'file gateway.log',
    ]),
  );
}

/** Runs the example command that people see after a start. */
async function expectWorkingExample(announcement: Announcement): Promise<void> {
  const [, command] =
    /\n( {2}curl [\s\S]*?)\n\n/.exec(
      toText(announcement, { dataDirDefault: '', isTerminal: true }),
    ) ?? [];
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command ?? '']);
  expect(JSON.parse(stdout)).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
}

/** Every address that is handed out begins with the public URL, and rules of TLS apply. */
async function expectPublicUrl(announcement: Announcement, publicUrl: string): Promise<void> {
  const { gatewayUrl, testKey = '' } = announcement;
  expect(announcement.publicUrl).toBe(publicUrl);
  expect(gatewayUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(announcement.ownerLink).toMatch(`${publicUrl}/dashboard/invitation#`);
  const document = await fetch(`${gatewayUrl}/openapi.json`);
  expect(document.headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(await document.json()).toMatchObject({
    info: { version: productVersion },
    servers: [{ url: publicUrl }],
  });
  expect(await (await fetch(gatewayUrl)).json()).toMatchObject({ version: productVersion });
  const ready = await fetch(`${gatewayUrl}/readyz`);
  expect(ready.headers.get('x-billing-version')).toBe(productVersion);
  const endpoint = await fetch(`${gatewayUrl}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:9/hook', events: ['nope'] }),
  });
  expect([endpoint.status, await endpoint.json()]).toEqual([
    400,
    { error: { url: ['Must be a public address'], events: ['0: Unknown event'] } },
  ]);
}

/** Kills a service of a system that runs in processes, and ends all of them. */
async function expectRestarts({ command, announcement }: Started): Promise<void> {
  const { pids = {}, testKey = '' } = announcement;
  expect(Object.keys(pids).sort()).toEqual([
    'catalog',
    'checkout',
    'customer',
    'discount',
    'gateway',
    'identity',
    'metering',
    'notifier',
    'subscription',
  ]);

  // Another process may get the number of one that has ended.
  const seen: ProcessIdentity[] = [];
  const see = (some: Record<string, number>) =>
    seen.push(...Object.values(some).flatMap((pid) => identify(pid) ?? []));
  see(pids);
  expect(seen).toHaveLength(Object.keys(pids).length);
  const killed = pids.customer ?? 0;
  process.kill(killed, 'SIGKILL');
  const present = async () =>
    JSON.parse(await readFile(join(dataDir, 'pids.json'), 'utf8')) as Record<string, number>;
  await until(
    async () => ![undefined, killed].includes((await present()).customer),
    START_TIMEOUT_MS,
  );
  see(await present());
  await until(async () => {
    const answer = await createCustomer(announcement, testKey).catch(() => '');
    return answer !== '';
  }, START_TIMEOUT_MS);

  expect(await end(command, 'SIGINT')).toBe(0);
  expect(seen.filter(isAlive)).toEqual([]);
}

describe('one data folder, start after start,', () => {
  let keys: Pick<Announcement, 'liveKey' | 'testKey'>;
  let running: Started;
  let customerId: string;

  beforeAll(makeDataDir);
  afterAll(removeDataDir);

  test('prints two valid keys and a working example, and keeps its files private', async () => {
    running = await startByNpm();
    const { announcement } = running;
    const { liveKey, testKey = '' } = announcement;
    keys = { liveKey, testKey };
    customerId = await createCustomer(announcement, testKey);
    await createCustomer(announcement, liveKey);

    expect(announcement).toMatchObject({ dataDir, logDir: join(dataDir, 'logs') });
    expect(announcement).not.toHaveProperty('pids');
    expect(announcement.ownerLink).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/dashboard\/invitation#[\w-]{43}$/,
    );
    const invitation = await readInvitation(announcement);
    expect(invitation).toMatchObject({ organization: { name: 'Local' }, role: 'OWNER' });
    await expectPrivateFiles();
    await expectWorkingExample(announcement);
  });

  test('ends with npm, and keeps its data', async () => {
    const { gatewayUrl } = running.announcement;
    const isServed = () =>
      fetch(`${gatewayUrl}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    expect(await isServed()).toBe(true);
    running.command.kill('SIGKILL');
    await until(async () => !(await isServed()), START_TIMEOUT_MS);

    const { liveKey, testKey = '' } = keys;
    // The data folder is free once the databases have stopped, too.
    await until(async () => {
      const started = await start('--url', 'https://pay.example.com/').catch(() => undefined);
      if (started !== undefined) running = started;
      return started !== undefined;
    }, START_TIMEOUT_MS);
    expect(running.output().trimEnd().split('\n')).toHaveLength(1);
    expect(running.announcement).toMatchObject({ liveKey, testKey });
    expect(await readCustomer(running.announcement, testKey, customerId)).toBe(200);
    expect(await readCustomer(running.announcement, liveKey, customerId)).toBe(404);
    await expectPublicUrl(running.announcement, 'https://pay.example.com');
  });

  test('runs in parallel to a second system, whose processes restart when killed and end with one Ctrl-C', async () => {
    const first = running.announcement;
    await makeDataDir();
    const second = await start('--processes');
    const { testKey = '' } = second.announcement;
    expect(testKey).not.toBe(keys.testKey);
    expect(await readCustomer(second.announcement, testKey, customerId)).toBe(404);
    expect(await readCustomer(second.announcement, keys.testKey ?? '', customerId)).toBe(401);
    expect(await readCustomer(first, keys.testKey ?? '', customerId)).toBe(200);
    await expectRestarts(second);
    await rm(dataDir, { recursive: true });
    ({ dataDir } = first);
  });

  test('keeps its live key when its first sandbox is deleted and a secret is replaced with its former value in the environment', async () => {
    const { gatewayUrl } = running.announcement;
    const { liveKey } = keys;
    const ask = (method: string, path: string) =>
      fetch(`${gatewayUrl}/v1${path}`, { method, headers: { Authorization: `Bearer ${liveKey}` } });
    const { data } = (await (await ask('GET', '/sandboxes')).json()) as { data: { id: string }[] };
    expect((await ask('DELETE', `/sandboxes/${data[0]?.id ?? ''}`)).status).toBe(204);
    expect(await end(running.command, 'SIGINT')).toBe(0);

    const file = join(dataDir, 'secrets.json');
    const secrets = JSON.parse(await readFile(file, 'utf8')) as { apiKeyPepper: string };
    await writeFile(file, JSON.stringify({ ...secrets, apiKeyPepper: 'n'.repeat(43) }));
    const { status, errors } = await refusedStart();
    expect(errors).toContain('API_KEY_PEPPER: is not the one this data was written with');
    expect(status).toBe(78);

    running = await startWith({ API_KEY_PEPPER_OLD: secrets.apiKeyPepper });
    expect(running.announcement).not.toHaveProperty('testKey');
    expect(running.announcement.liveKey).toBe(liveKey);
    await createCustomer(running.announcement, liveKey);
  });

  test('is refused with databases and without secrets.json', async () => {
    await end(running.command, 'SIGTERM');
    await rm(join(dataDir, 'secrets.json'));
    await writeFile(join(dataDir, 'keys.json'), '{"liveKey":');
    const { status, errors } = await refusedStart();
    expect([status, errors.split('\n').at(-2)]).toEqual([
      78,
      'secrets.json is missing: restore it from the backup; new secrets would end every key and address',
    ]);
    expect(await readdir(dataDir)).not.toContain('secrets.json');
  });
});

describe('npm start', () => {
  beforeEach(makeDataDir);
  afterEach(removeDataDir);

  test('settings that cannot be obeyed are refused together before anything is started', async () => {
    const variables = { HOSTED_PAGE_URL: 'https://a.example', BILLING_ULR: 'https://a.example' };
    const refused = await refusedStartWith(variables, '--url', 'http://a.example');
    expect(refused.errors).toContain(
      [
        '',
        'Invalid configuration:',
        '  BILLING_URL: must be an https:// address, or http:// on loopback',
        '  BILLING_ULR: unknown setting',
        '  HOSTED_PAGE_URL: is decided by npm start; use --url',
        '',
      ].join('\n'),
    );
    expect(refused.errors).not.toMatch(/\n +at /);
    expect([refused.status, refused.output]).toEqual([78, '']);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test.each([[[]], [['--processes']]])(
    'a port that is taken ends the start before anything is started: %j',
    async (flags) => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const port = String((other.address() as AddressInfo).port);
      const { status, output, errors } = await refusedStart('--port', port, ...flags);
      other.close();
      expect(errors).toContain(`\nCannot listen on 127.0.0.1:${port}: address already in use\n`);
      expect(errors).not.toMatch(/Starting MongoDB|\n +at /);
      expect([status, output]).toEqual([75, '']);
      expect(await readdir(dataDir)).toEqual([]);
    },
  );

  test('an unknown flag is reported as an error', async () => {
    const command = spawn(process.execPath, [bootstrap, 'start', '--prot', '80'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    let isClosed = false;
    command.once('close', () => (isClosed = true));
    command.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    await until(() => isClosed, START_TIMEOUT_MS);

    expect(command.exitCode).toBe(2);
    expect(errors).toContain("Unknown option '--prot'");
    expect(errors).toContain('npm start -- --help shows all flags');
  });
});

import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from './config';
import { type ContainerServer, prepareMongodContainer, prepareNatsContainer } from './containers';

let folder: string;

// Has every image, and does nothing else.
const engine = '#!/bin/sh\necho "$@" >> "$(dirname "$0")/calls"\n';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-containers-'));
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'run'));
  await writeFile(join(folder, 'docker'), engine);
  await chmod(join(folder, 'docker'), 0o755);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const options = () => ({
  command: join(folder, 'docker'),
  environment: readLauncherEnvironment({ PATH: process.env.PATH, API_KEY_PEPPER: 'a secret' }),
  dataDir: join(folder, 'data'),
  runDir: join(folder, 'run'),
  logFile: join(folder, 'log'),
});

const valuesOf = ({ program }: ContainerServer, flag: string) =>
  program.args.filter((arg) => arg.startsWith(`--${flag}=`)).map((arg) => arg.split('=')[1] ?? '');

const kinds = [
  ['mongodb', prepareMongodContainer, '27017', '/data/db', 'mongo:8.2'],
  ['nats', prepareNatsContainer, '4222', '/data', 'nats:2.12-alpine'],
] as const;

describe.each(kinds)('the container of %s', (kind, prepare, port, dataPath, image) => {
  test('is published on this machine’s own address alone, and keeps its data in a named volume', async () => {
    const server = await prepare(options());
    const hostPort = new URL(server.uri).port;
    expect(valuesOf(server, 'publish')).toEqual([`127.0.0.1:${hostPort}:${port}`]);
    const [name] = valuesOf(server, 'name');
    expect(name).toMatch(new RegExp(`^billing-${kind}-[0-9a-f]{12}$`));
    expect(valuesOf(server, 'volume')).toEqual([`${String(name)}:${dataPath}`]);
    expect(server.program.args).toContain(image);
    expect(server.program.args.join(' ')).not.toMatch(/--network|-P\b|--publish-all|--privileged/);
  });

  test('opens by a secret that no argument and no variable of a process shows', async () => {
    const server = await prepare(options());
    const { username, password } = new URL(server.uri);
    const secret = password === '' ? username : password;
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    expect(JSON.stringify([server.program.args, server.program.env])).not.toContain(secret);
    expect(server.program.env).not.toHaveProperty('API_KEY_PEPPER');
    const [file = ''] = valuesOf(server, 'env-file');
    expect(await readFile(file, 'utf8')).toContain(secret);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('replaces one that a killed launcher left', async () => {
    const server = await prepare(options());
    await server.program.beforeStart?.();
    const calls = await readFile(join(folder, 'calls'), 'utf8');
    expect(calls).toContain(`rm --force ${String(valuesOf(server, 'name')[0])}`);
  });
});

test('MongoDB asks for its password, which stays with its volume', async () => {
  const first = await prepareMongodContainer(options());
  const second = await prepareMongodContainer(options());
  expect(first.program.args).toContain('--auth');
  expect(new URL(second.uri).password).toBe(new URL(first.uri).password);
  const file = join(folder, 'data', 'mongodb-container.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('NATS asks for a token, which every start makes anew', async () => {
  const first = await prepareNatsContainer(options());
  const second = await prepareNatsContainer(options());
  const token = new URL(second.uri).username;
  expect(token).not.toBe(new URL(first.uri).username);
  const variables = await readFile(join(folder, 'run', 'nats.env'), 'utf8');
  expect(variables).toContain(`authorization { token: "${token}" }`);
});

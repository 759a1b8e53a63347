import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from '../environment/launcher-environment';
import {
  type ContainerServer,
  prepareMongodContainer,
  prepareNatsContainer,
  runningMongodContainer,
} from './containers';
import { type EngineContainer, TestingEngine } from '../testing/engine';

let folder: string;
let engine: TestingEngine;
let children: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-containers-'));
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'run'));
  engine = await TestingEngine.listen(join(folder, 'engine.sock'));
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  engine.close();
  await rm(folder, { recursive: true });
});

const options = () => ({
  environment: readLauncherEnvironment({
    PATH: process.env.PATH,
    DOCKER_HOST: `unix://${join(folder, 'engine.sock')}`,
    API_KEY_PEPPER: 'a secret',
  }),
  dataDir: join(folder, 'data'),
  runDir: join(folder, 'run'),
  logFile: join(folder, 'log'),
});

function start({ program }: ContainerServer): ChildProcess {
  const child = spawn(program.command, program.args, { env: program.env, stdio: 'ignore' });
  children.push(child);
  return child;
}

const isWaitedFor = () => engine.callsOf('POST', '/wait').length > 0;

/** Settings of the container that the engine was asked to create. */
async function made(server: ContainerServer) {
  const child = start(server);
  while (!isWaitedFor() && child.exitCode === null)
    await once(child, 'exit', { signal: soon() }).catch(() => undefined);
  const [creation] = engine.callsOf('POST', '/containers/create');
  return {
    child,
    name: creation?.query.get('name') ?? '',
    body: creation?.body as EngineContainer,
  };
}

const soon = () => AbortSignal.timeout(20);

test('the address of a running MongoDB is found by its folders', async () => {
  const { dataDir, runDir } = options();
  const folders = { dataDir, runDir };
  await expect(runningMongodContainer(folders)).rejects.toMatchObject({ exitStatus: 75 });
  const { uri } = await prepareMongodContainer(options());
  expect(await runningMongodContainer(folders)).toBe(uri);
});

const kinds = [
  ['mongodb', prepareMongodContainer, '27017/tcp', '/data/db', 'mongo:8.2'],
  ['nats', prepareNatsContainer, '4222/tcp', '/data', 'nats:2.12-alpine'],
] as const;

describe.each(kinds)('the container of %s', (kind, prepare, port, dataPath, image) => {
  test('the container is published on loopback only, with its data in a named volume', async () => {
    const server = await prepare(options());
    const { name, body } = await made(server);
    const { HostConfig } = body;
    expect(body.Image).toBe(image);
    expect(HostConfig.PortBindings).toEqual({
      [port]: [{ HostIp: '127.0.0.1', HostPort: new URL(server.uri).port }],
    });
    expect(name).toMatch(new RegExp(`^billing-${kind}-[0-9a-f]{12}$`));
    expect(HostConfig.Binds).toEqual([`${name}:${dataPath}:rw`]);
    expect(HostConfig).not.toHaveProperty('Privileged');
    expect(HostConfig).not.toHaveProperty('NetworkMode');
    // The library starts no helper container, which would have access to the engine's socket.
    expect(engine.callsOf('POST', '/containers/create')).toHaveLength(1);
  });

  test('the secret is in no argument and no environment variable of a process', async () => {
    const server = await prepare(options());
    const { username, password } = new URL(server.uri);
    const secret = password === '' ? username : password;
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    expect(JSON.stringify([server.program.args, server.program.env])).not.toContain(secret);
    expect(server.program.env).not.toHaveProperty('API_KEY_PEPPER');
    const [file = ''] = server.program.args.slice(-1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify((await made(server)).body.Env)).toContain(secret);
  });

  test('the container replaces one left by a killed launcher, and is removed when stopped', async () => {
    const { child, name } = await made(await prepare(options()));
    expect(engine.callsOf('DELETE', `/containers/${name}`)[0]?.query.get('force')).toBe('true');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(engine.callsOf('POST', '/stop')).toHaveLength(1);
    expect(engine.callsOf('DELETE', '')).toHaveLength(2);
  });

  test('the process ends with its container, so that it is restarted', async () => {
    const { child } = await made(await prepare(options()));
    const exit = once(child, 'exit');
    engine.endContainer();
    expect(await exit).toEqual([1, null]);
  });
});

test('MongoDB requires the password of its volume', async () => {
  const first = await prepareMongodContainer(options());
  const second = await prepareMongodContainer(options());
  expect((await made(first)).body.Cmd).toContain('--auth');
  expect(new URL(second.uri).password).toBe(new URL(first.uri).password);
  const file = join(folder, 'data', 'mongodb-container.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('NATS requires a token, which changes at every start', async () => {
  const first = await prepareNatsContainer(options());
  const second = await prepareNatsContainer(options());
  const token = new URL(second.uri).username;
  expect(token).not.toBe(new URL(first.uri).username);
  const { body } = await made(second);
  expect(body.Env.join('\n')).toContain(`authorization { token: "${token}" }`);
});

test('a missing engine is reported with the reason', async () => {
  engine.close();
  await expect(prepareNatsContainer(options())).rejects.toThrow('container runtime');
});

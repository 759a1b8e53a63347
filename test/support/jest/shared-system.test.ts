import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { isAlive } from '@billing/local/process-identity';
import { joinTestSystem, type SharedSystem, writeSharedSystem } from '../shared-system';

const { SHARED_SYSTEMS_FOLDER: usual, JEST_WORKER_ID: worker = '' } = process.env;
let file: string;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'billing-t-'));
  process.env.SHARED_SYSTEMS_FOLDER = folder;
  file = join(folder, `${worker}.json`);
});

afterEach(async () => {
  await rm(process.env.SHARED_SYSTEMS_FOLDER ?? '', { recursive: true });
  process.env.SHARED_SYSTEMS_FOLDER = usual;
});

const recorded = async () => JSON.parse(await readFile(file, 'utf8')) as SharedSystem;

test('a worker joins no system that has ended, although another process has its number', async () => {
  writeSharedSystem(file, {
    process: { pid: process.pid, startedAt: 'another boot/1' },
    isEnding: false,
    organizationsUrl: 'http://127.0.0.1:1',
    gatewayUrl: 'http://127.0.0.1:1',
    addresses: {} as SharedSystem['addresses'],
    databases: { uri: '', prefix: '' },
    logDir: '',
  });
  const system = await joinTestSystem();
  expect((await system.sandbox.get('/customers')).status).toBe(200);

  const { process: started } = await recorded();
  process.kill(started.pid, 'SIGTERM');
  await eventually(() => {
    expect(isAlive(started)).toBe(false);
  });
  expect(await recorded()).toMatchObject({ process: started, isEnding: true });
});

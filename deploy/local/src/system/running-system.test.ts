import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetRunningSystem, readRunningSystem, recordRunningSystem } from './running-system';
import type { RunningSystem } from './system';

const gatewayUrl = 'http://127.0.0.1:3000';
const addresses = { identity: 'unix:/run/billing/identity.sock', gateway: gatewayUrl };
const system = { gatewayUrl, publicUrl: gatewayUrl, addresses } as unknown as RunningSystem;

describe('the record of a running system', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'billing-record-'));
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  const none = () => ({ exitStatus: 75, message: `No system runs on ${dataDir}: start it first` });

  test('has its addresses, for its user alone, until it stops', async () => {
    await recordRunningSystem(dataDir, system);
    expect(await readRunningSystem(dataDir)).toMatchObject({ gatewayUrl, addresses });
    expect((await stat(join(dataDir, 'system.json'))).mode & 0o777).toBe(0o600);
    await forgetRunningSystem(dataDir);
    await expect(readRunningSystem(dataDir)).rejects.toMatchObject(none());
  });

  test('of a launcher that was killed names no system', async () => {
    const launcher = { pid: process.pid, startedAt: 'before' };
    const record = { launcher, gatewayUrl, publicUrl: gatewayUrl, addresses };
    await writeFile(join(dataDir, 'system.json'), JSON.stringify(record));
    await expect(readRunningSystem(dataDir)).rejects.toMatchObject(none());
  });

  test('that is damaged is named', async () => {
    await writeFile(join(dataDir, 'system.json'), '{}');
    await expect(readRunningSystem(dataDir)).rejects.toMatchObject({ exitStatus: 65 });
  });
});

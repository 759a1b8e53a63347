import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { isAlive, type ProcessIdentity } from '../../../deploy/local/src/process/identity';
import { describesSystem, type SharedSystem } from '../shared-system';

const stopTimeoutMs = 20_000;

/** Stops the systems of the workers, then the servers of the setup, and removes their data. */
export default async function tearDown(): Promise<void> {
  const { SHARED_SYSTEMS_FOLDER: folder = '' } = process.env;
  const files = await filesIn(folder);
  await Promise.all(files.filter(describesSystem).map(stopSharedSystem));
  // A system that ended before has listed its problems. One that was killed has not.
  const lists = (await filesIn(folder)).filter((file) => !describesSystem(file));
  const problems = await Promise.all(lists.map((file) => readFile(file, 'utf8')));
  await globalThis.billingInfrastructure?.stop();
  const found = problems.filter((text) => text !== '');
  if (found.length > 0) throw new Error(`Filters without a shard key:\n${found.join('\n')}`);
}

async function filesIn(folder: string): Promise<string[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  return names.map((name) => join(folder, name));
}

async function stopSharedSystem(file: string): Promise<void> {
  const { process: system } = JSON.parse(await readFile(file, 'utf8')) as SharedSystem;
  const startedAt = performance.now();
  signal(system, 'SIGTERM');
  while (isAlive(system) && performance.now() - startedAt < stopTimeoutMs) await sleep(50);
  signal(system, 'SIGKILL');
}

function signal(system: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(system)) return;
  try {
    process.kill(system.pid, name);
  } catch {
    // It ended between the check and the signal.
  }
}

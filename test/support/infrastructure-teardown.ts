import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import type { SharedSystem } from './shared-system';

const stopTimeoutMs = 20_000;

/** Stops the systems of the workers, then the servers of the setup, and removes their data. */
export default async function tearDown(): Promise<void> {
  const { SHARED_SYSTEMS_FOLDER: folder = '' } = process.env;
  const files = existsSync(folder) ? await readdir(folder) : [];
  await Promise.all(files.map((name) => stopSharedSystem(join(folder, name))));
  await globalThis.billingInfrastructure?.stop();
}

async function stopSharedSystem(file: string): Promise<void> {
  const { pid } = JSON.parse(await readFile(file, 'utf8')) as SharedSystem;
  const startedAt = performance.now();
  signal(pid, 'SIGTERM');
  while (signal(pid, 0) && performance.now() - startedAt < stopTimeoutMs) await sleep(50);
  signal(pid, 'SIGKILL');
}

/** False if the process has ended. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

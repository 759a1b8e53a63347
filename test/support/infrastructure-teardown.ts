import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { describesSystem, type SharedSystem, shardKeyProblems } from './shared-system';

const stopTimeoutMs = 20_000;

/** Stops the systems of the workers, then the servers of the setup, and removes their data. */
export default async function tearDown(): Promise<void> {
  const { SHARED_SYSTEMS_FOLDER: folder = '' } = process.env;
  const names = existsSync(folder) ? await readdir(folder) : [];
  // A system that ended with its worker has already listed its problems.
  const files = names.filter(describesSystem).map((name) => join(folder, name));
  await Promise.all(files.map(stopSharedSystem));
  const problems = await Promise.all(files.map(problemsOf));
  await globalThis.billingInfrastructure?.stop();
  const found = problems.filter((text) => text !== '');
  if (found.length > 0) throw new Error(`Filters without a shard key:\n${found.join('\n')}`);
}

// A system that was killed has written none.
async function problemsOf(file: string): Promise<string> {
  const problems = shardKeyProblems(file);
  return existsSync(problems) ? await readFile(problems, 'utf8') : '';
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

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { z } from 'zod';
import { damagedFile, readJsonIfThere, writePrivateJson } from '../files/private-file';
import { isAlive } from '../process/identity';
import { ownIdentity } from '../process/record';
import type { RunningSystem } from './system';

const schema = z.object({
  launcher: z.object({ pid: z.int(), startedAt: z.string() }),
  gatewayUrl: z.string(),
  publicUrl: z.string(),
  addresses: z.record(z.string(), z.string()),
});

/** Addresses of a system, as its data folder has them while the system runs. */
export type RecordedSystem = Omit<z.infer<typeof schema>, 'launcher'>;

const recordOf = (dataDir: string) => join(dataDir, 'system.json');

/** Records where the services of a data folder listen, for commands on the same machine. */
export async function recordRunningSystem(
  dataDir: string,
  { gatewayUrl, publicUrl, addresses }: RunningSystem,
): Promise<void> {
  const launcher = ownIdentity();
  await writePrivateJson(recordOf(dataDir), { launcher, gatewayUrl, publicUrl, addresses });
}

export async function forgetRunningSystem(dataDir: string): Promise<void> {
  await rm(recordOf(dataDir), { force: true });
}

/** Finds the system that runs on a data folder. Throws a refusal if there is none. */
export async function readRunningSystem(dataDir: string): Promise<RecordedSystem> {
  const file = recordOf(dataDir);
  const stored = await readJsonIfThere(file);
  const record = schema.safeParse(stored);
  if (stored !== undefined && !record.success) throw damagedFile(file, 'it names no system');
  // A launcher that was killed leaves its record.
  if (record.success && isAlive(record.data.launcher)) return record.data;
  throw new StartRefusal(exitStatuses.busy, `No system runs on ${dataDir}: start it first`);
}

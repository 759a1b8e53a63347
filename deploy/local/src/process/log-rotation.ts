import { copyFile, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** Size limits of each log. */
export interface RotationLimits {
  /** A larger file is rotated. */
  readonly bytesMax: number;
  /** Files of each log, including the current one. */
  readonly filesMax: number;
}

const standardLimits: RotationLimits = { bytesMax: 10 * 1024 * 1024, filesMax: 5 };

const LOOK_EVERY_MS = 2_000;

/**
 * Copies each log that has grown too large and truncates it. All writers append, including the
 * databases, so they need no notification. Lines written between copy and truncation are lost.
 * `x.log.1` is the newest copy.
 */
export async function rotateLogs(folder: string, limits: RotationLimits): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.endsWith('.log'))) {
    const file = join(folder, name);
    const { size } = await stat(file);
    if (size > limits.bytesMax) await rotate(file, limits);
  }
}

async function rotate(file: string, { filesMax }: RotationLimits): Promise<void> {
  const copy = (number: number) => `${file}.${String(number)}`;
  await rm(copy(filesMax - 1), { force: true });
  for (let number = filesMax - 2; number >= 1; number -= 1) {
    await rename(copy(number), copy(number + 1)).catch(ignoreAbsence);
  }
  // A full disk allows no copy: the log is truncated without one.
  await copyFile(file, copy(1)).catch(() => rm(copy(1), { force: true }));
  await truncate(file);
}

function ignoreAbsence(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Rotates periodically until it is stopped. */
export function keepLogsSmall(
  folder: string,
  log: (line: string) => void,
): { stop: () => Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => rotateLogs(folder, standardLimits))
      .catch((error: unknown) => {
        log(`Rotating logs failed: ${String(error)}`);
      });
  }, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

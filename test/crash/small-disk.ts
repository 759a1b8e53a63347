import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const diskBytes = 16 * 1024 * 1024;
const ballastBytes = 14 * 1024 * 1024;
// A file system without any free space.
const fullFolder = '/proc';

/** A folder whose file system a test fills and empties. */
export interface SmallDisk {
  readonly folder: string;
  /** Between what is free on the full disk and on the empty one. */
  readonly reserveMb: number;
  fill(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file system in memory with a file of ballast, where this process may mount one; elsewhere a
 * link that leads to a full file system or to one with free space.
 */
export async function openSmallDisk(): Promise<SmallDisk> {
  const parent = await mkdtemp(join(tmpdir(), 'billing-d-'));
  const folder = join(parent, 'disk');
  const remove = () => rm(parent, { recursive: true, force: true });
  await mkdir(folder);
  const size = `size=${String(diskBytes)}`;
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  const disk = isMounted ? mounted(folder) : await linked(parent);
  const close = async () => {
    if (isMounted) await run('umount', [folder]);
    await remove();
  };
  return { reserveMb: 4, ...disk, close };
}

function mounted(folder: string): Pick<SmallDisk, 'folder' | 'fill' | 'empty'> {
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => writeFile(ballast, Buffer.alloc(ballastBytes)),
    empty: () => rm(ballast),
  };
}

async function linked(parent: string): Promise<Pick<SmallDisk, 'folder' | 'fill' | 'empty'>> {
  const folder = join(parent, 'link');
  const pointTo = async (target: string) => {
    await rm(folder, { force: true });
    await symlink(target, folder);
  };
  await pointTo(parent);
  return { folder, fill: () => pointTo(fullFolder), empty: () => pointTo(parent) };
}

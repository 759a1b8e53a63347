import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, chown, copyFile, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file of a backup. */
export interface BackupFile {
  /** Below the backup's folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Paths of all files and folders below a folder, sorted. */
export async function pathsBelow(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({
    isFolder: entry.isDirectory(),
    path: join(entry.parentPath, entry.name).slice(folder.length + 1),
  }));
  const those = (isFolder: boolean) =>
    paths.filter((one) => one.isFolder === isFolder).map(({ path }) => path);
  return { files: those(false).toSorted(), folders: those(true).toSorted() };
}

/** Reads size and checksum of a file. */
export async function describeFile(folder: string, path: string): Promise<BackupFile> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, path)), hash);
  const { size: bytes } = await stat(join(folder, path));
  return { path, bytes, sha256: hash.digest('hex') };
}

/** Returns the first listed file that is missing or differs. */
export async function findDamaged(
  folder: string,
  files: readonly BackupFile[],
): Promise<string | undefined> {
  for (const { path, bytes, sha256 } of files) {
    const found = await describeFile(folder, path).catch(() => undefined);
    if (found?.bytes !== bytes || found.sha256 !== sha256) return path;
  }
  return undefined;
}

/** Closes a folder and all that it contains to other users, and syncs its files to disk. */
export async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  const { files, folders } = await pathsBelow(folder);
  for (const path of folders) await chmod(join(folder, path), 0o700);
  for (const path of files) {
    await chmod(join(folder, path), 0o600);
    await syncToDisk(join(folder, path));
  }
}

/** Writes a file or the entries of a folder to disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies files of a folder, and its folders, readable by one user only. */
export async function copyPrivately(
  { source, files, target }: { source: string; files: readonly string[]; target: string },
  owner: { uid: number; gid: number } | undefined,
): Promise<void> {
  // A database also needs its empty folders.
  const { folders } = await pathsBelow(source);
  const own = async (path: string, mode: number) => {
    await chmod(path, mode);
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  };
  await mkdir(dirname(target), { recursive: true });
  for (const path of ['', ...folders]) {
    await mkdir(join(target, path), { recursive: true });
    await own(join(target, path), 0o700);
  }
  for (const path of files) {
    await copyFile(join(source, path), join(target, path));
    await own(join(target, path), 0o600);
    await syncToDisk(join(target, path));
  }
}

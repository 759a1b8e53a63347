import { copyFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSharedFolder } from '../files/account';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { exists, installOnce } from './installation';

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
/**
 * Long enough for any network that allows the download, short enough for one that drops its
 * packets.
 */
const PROBE_TIMEOUT_MS = 5_000;
const REFUSAL_HOLDS_MS = 24 * 60 * 60_000;

/**
 * Downloads a mongod into the cache and returns its path. After a refusal by the network it does
 * not retry for a day.
 */
export async function downloadMongod(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string> {
  const { cacheDir } = environment;
  const name = `mongod-${process.platform}-${process.arch}`;
  const refusal = join(cacheDir, `${name}.refused`);
  if (!(await exists(join(cacheDir, name)))) {
    await rejectIfRecent(refusal);
    await probe(environment, refusal);
  }
  const folder = await installOnce({
    cacheDir,
    name,
    log,
    install: async (stage) => {
      log('Downloading mongod');
      // Loaded lazily: loading is slow, and most starts do not need it.
      const { MongoBinary } = await import('mongodb-memory-server-core');
      const download = MongoBinary.getPath({ downloadDir: stage });
      const timeout = delay(DOWNLOAD_TIMEOUT_MS, undefined, { ref: false }).then(() => {
        throw new Error('the download took too long');
      });
      const found = await Promise.race([download, timeout]);
      // The downloader may also return the path of another installation.
      if (!found.startsWith(stage)) await copyFile(found, join(stage, basename(found)));
    },
  });
  const program = (await readdir(folder)).find((file) => file.startsWith('mongod'));
  if (program === undefined) throw new Error(`${folder} holds no mongod; remove it`);
  return join(folder, program);
}

async function rejectIfRecent(refusal: string): Promise<void> {
  const refusedAt = await stat(refusal).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  // Wall clock, derived from the start of the process, not the clock of the services.
  const now = performance.timeOrigin + performance.now();
  if (refusedAt !== undefined && now - refusedAt < REFUSAL_HOLDS_MS) {
    throw new Error(`the network refused it less than a day ago (${refusal})`);
  }
}

/** Checks the network first: the downloader itself has no timeout and retries several times. */
async function probe({ hasProxy, cacheDir }: LauncherEnvironment, refusal: string): Promise<void> {
  // Only the downloader supports a proxy.
  if (hasProxy) return;
  const url = await downloadUrl();
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await rm(refusal, { force: true });
  } catch (error) {
    await makeSharedFolder(cacheDir);
    await writeFile(
      refusal,
      'The download of mongod was refused; remove this file to try again.\n',
    );
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(`the network refuses it (${String(cause)})`, { cause: error });
  }
}

async function downloadUrl(): Promise<string> {
  const [{ MongoBinaryDownloadUrl }, { DryMongoBinary }] = await Promise.all([
    import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js'),
    import('mongodb-memory-server-core'),
  ]);
  const { version, arch, os } = await DryMongoBinary.generateOptions();
  return await new MongoBinaryDownloadUrl({
    version,
    arch,
    os,
    platform: process.platform,
  }).getDownloadUrl();
}

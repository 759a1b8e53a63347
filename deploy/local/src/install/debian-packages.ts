import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  acquireSettings,
  aptConfiguration,
  type AptSourceFile,
  debianMirror,
  parseAptSources,
  sourceLine,
} from './apt-sources';
import { findProgram, runCommand } from '../process/command';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { exists, installOnce } from './installation';

export interface DebianPackages {
  packages: readonly string[];
  environment: LauncherEnvironment;
  log: (line: string) => void;
  /** Replaces Debian's installation scripts, which unpacking does not run. */
  finish?: (root: string, final: string) => Promise<void>;
}

/** Version of the unpacked content; raised when it changes, so that older folders are not used. */
const LAYOUT = 1;
const KEYRINGS = [
  '/usr/share/keyrings/debian-archive-keyring.gpg',
  '/usr/share/keyrings/debian-archive-keyring.pgp',
];
const UPDATE_TIMEOUT_MS = 3 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const UNPACK_TIMEOUT_MS = 60_000;
/** Concurrent dpkg-deb processes: decompression needs a core each, and small machines have few. */
const UNPACK_CONCURRENCY = 2;

/**
 * Unpacks packages with their dependencies into a folder of the cache, without root and without
 * changes to the system.
 */
export async function installDebianPackages(wanted: DebianPackages): Promise<string> {
  const { packages, environment, log } = wanted;
  const name = `debian-${packages.join('-')}-${process.arch}-${String(LAYOUT)}`;
  return await installOnce({
    cacheDir: environment.cacheDir,
    name,
    log,
    install: async (stage, final) => {
      const mirror = await requireMirror(environment);
      const apt = join(stage, '.apt');
      log(
        `Downloading ${packages.join(', ')} and their dependencies from this machine's Debian mirror`,
      );
      const archives = await download({ apt, mirror, packages, environment });
      log(`Unpacking ${String(archives.length)} packages`);
      await unpack({ archives, root: stage, environment });
      await rm(apt, { recursive: true });
      await wanted.finish?.(stage, final);
    },
  });
}

interface Mirror {
  uri: string;
  keyring: string;
}

async function requireMirror({ path }: LauncherEnvironment): Promise<Mirror> {
  for (const tool of ['apt-get', 'apt-config', 'dpkg-deb']) {
    if (!(await findProgram(tool, path))) throw new Error(`${tool} is not on the PATH`);
  }
  const uri = debianMirror(parseAptSources(await readAptSourceFiles()));
  if (uri === undefined) throw new Error("this machine's apt sources name no Debian mirror");
  for (const keyring of KEYRINGS) if (await exists(keyring)) return { uri, keyring };
  throw new Error("the keyring of Debian's archive is not installed");
}

async function readAptSourceFiles(): Promise<AptSourceFile[]> {
  const folder = '/etc/apt/sources.list.d';
  const parts = await readdir(folder).catch(() => []);
  const paths = [...parts.sort().map((part) => join(folder, part)), '/etc/apt/sources.list'];
  return await Promise.all(
    paths.map(async (name) => ({ name, text: await readFile(name, 'utf8').catch(() => '') })),
  );
}

interface Download {
  apt: string;
  mirror: Mirror;
  packages: readonly string[];
  environment: LauncherEnvironment;
}

async function download({ apt, mirror, packages, environment }: Download): Promise<string[]> {
  for (const folder of ['lists/partial', 'cache/archives/partial']) {
    await mkdir(join(apt, folder), { recursive: true });
  }
  const dump = { program: 'apt-config', args: ['dump'], env: environment.all, timeoutMs: 10_000 };
  const acquire = acquireSettings(await runCommand(dump));
  await writeFile(join(apt, 'apt.conf'), aptConfiguration({ folder: apt, acquire }));
  await writeFile(join(apt, 'status'), '');
  await writeFile(
    join(apt, 'sources.list'),
    sourceLine({ keyring: mirror.keyring, mirror: mirror.uri }),
  );
  const env = { ...environment.all, APT_CONFIG: join(apt, 'apt.conf'), LC_ALL: 'C' };
  const program = 'apt-get';
  await runCommand({ program, args: ['update', '-q'], env, timeoutMs: UPDATE_TIMEOUT_MS });
  const install = ['install', '--download-only', '-y', '-q', ...packages];
  await runCommand({ program, args: install, env, timeoutMs: DOWNLOAD_TIMEOUT_MS });
  const archives = join(apt, 'cache/archives');
  const names = (await readdir(archives)).filter((name) => name.endsWith('.deb')).sort();
  return names.map((name) => join(archives, name));
}

interface Unpack {
  archives: readonly string[];
  root: string;
  environment: LauncherEnvironment;
}

async function unpack({ archives, root, environment }: Unpack): Promise<void> {
  const waiting = [...archives];
  const unpackNext = async (): Promise<void> => {
    for (let archive = waiting.shift(); archive !== undefined; archive = waiting.shift()) {
      const args = ['-x', archive, root];
      const env = { ...environment.all, LC_ALL: 'C' };
      await runCommand({ program: 'dpkg-deb', args, env, timeoutMs: UNPACK_TIMEOUT_MS });
    }
  };
  await Promise.all(Array.from({ length: UNPACK_CONCURRENCY }, unpackNext));
}

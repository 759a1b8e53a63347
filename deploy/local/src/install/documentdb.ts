import { chmod, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { installDebianPackages } from './debian-packages';
import { exists } from './installation';

/** PostgreSQL with the DocumentDB extension, unpacked from Debian's packages. */
const PROGRAMS = ['postgres', 'initdb', 'psql'] as const;
const BIN = 'usr/lib/postgresql/18/bin';

/** Library folder and loader of each architecture in Debian. */
const PLATFORMS: Partial<Record<NodeJS.Architecture, { folder: string; loader: string }>> = {
  x64: { folder: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { folder: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

export interface PostgresPrograms {
  postgres: string;
  initdb: string;
  psql: string;
  /** Name of the installation in the cache; other installations do not use its data. */
  root: string;
}

export async function installDocumentDb(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<PostgresPrograms> {
  const platform = platformHere();
  const root = await installDebianPackages({
    packages: ['postgresql-18-documentdb'],
    environment,
    log,
    finish: async (stage, final) => {
      await linkControlFiles(join(stage, 'usr/share/postgresql/18/extension'));
      for (const program of PROGRAMS) await wrap({ program, stage, final, ...platform });
    },
  });
  const [postgres, initdb, psql] = PROGRAMS.map((program) => join(root, BIN, program));
  return { postgres: postgres ?? '', initdb: initdb ?? '', psql: psql ?? '', root };
}

/**
 * Links `postgis-3.control` to its plain name, as Debian's alternatives do when a package is
 * installed.
 */
async function linkControlFiles(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const [, name] = /^(.+)-3\.control$/.exec(file) ?? [];
    if (name === undefined || (await exists(join(folder, `${name}.control`)))) continue;
    await symlink(file, join(folder, `${name}.control`));
  }
}

/** Command of a further program of the installation, without a wrapper. */
export function documentDbCommand(
  root: string,
  program: 'pg_basebackup' | 'pg_waldump',
): { program: string; args: string[] } {
  const { loader, path } = librariesIn(root, platformHere());
  const file = join(root, BIN, program);
  return { program: loader, args: ['--library-path', path, '--argv0', file, file] };
}

/** Folders of the libraries of an installation whose files lie in `root`, as `LD_LIBRARY_PATH`. */
export function documentDbLibraries(root: string): string {
  return librariesIn(root, platformHere()).path;
}

function platformHere() {
  const platform = PLATFORMS[process.arch];
  if (process.platform !== 'linux' || !platform) {
    throw new Error(`no Debian packages for ${process.platform} on ${process.arch}`);
  }
  return platform;
}

function librariesIn(root: string, { folder, loader }: { folder: string; loader: string }) {
  const libraries = join(root, 'usr/lib', folder);
  const path = [
    libraries,
    join(root, 'usr/lib/postgresql/18/lib'),
    join(libraries, 'blas'),
    join(libraries, 'lapack'),
  ].join(':');
  return { loader: join(libraries, loader), path };
}

interface Wrapping {
  program: string;
  stage: string;
  final: string;
  folder: string;
  loader: string;
}

/**
 * Command that runs a program by the loader of its own C library, which it was built for.
 * DocumentDB's libraries are in PostgreSQL's folder; blas and lapack are for postgis.
 */
async function wrap({ program, stage, final, folder, loader }: Wrapping): Promise<void> {
  const { loader: command, path } = librariesIn(final, { folder, loader });
  const real = join(final, BIN, `${program}.real`);
  const script = [
    '#!/bin/sh',
    `exec '${command}' --library-path '${path}' --argv0 "$0" '${real}' "$@"`,
    '',
  ];
  await rename(join(stage, BIN, program), join(stage, BIN, `${program}.real`));
  await writeFile(join(stage, BIN, program), script.join('\n'));
  await chmod(join(stage, BIN, program), 0o755);
}

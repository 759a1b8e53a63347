import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLauncherEnvironment } from '@billing/local/config';
import { installDebianPackages } from '@billing/local/debian-packages';
import { findNatsServer } from '@billing/local/nats-server';
import type { Engine } from './engine';

/** An image that stands in for an official one. */
interface StandIn {
  readonly names: readonly string[];
  /** Folders that lie one over the other. */
  readonly folders: readonly string[];
  /** Further instructions of its Dockerfile. */
  readonly instructions: readonly string[];
}

const environment = readLauncherEnvironment();
const log = (line: string) => process.stderr.write(`${line}\n`);

/** Builds an image, and gives it names; `folder` gets its Dockerfile. */
async function buildImage(
  engine: Engine,
  { names, folders, instructions }: StandIn,
  folder: string,
): Promise<void> {
  const file = join(folder, 'Dockerfile');
  const copies = folders.map((_folder, index) => `COPY --from=part${String(index)} / /`);
  await writeFile(file, ['FROM scratch', ...copies, ...instructions, ''].join('\n'));
  const parts = folders.map((path, index) => `part${String(index)}=${path}`);
  const flags = [
    ...parts.flatMap((part) => ['--build-context', part]),
    ...names.flatMap((name) => ['--tag', name]),
  ];
  await engine.docker(['build', '--file', file, ...flags, folder]);
}

/** A Debian with a shell and the usual commands, in a folder. */
async function debianFolder(): Promise<string> {
  return await installDebianPackages({
    packages: ['base-files', 'busybox-static', 'libstdc++6'],
    environment,
    log,
    finish: async (root) => {
      const busybox = join(root, 'usr/bin/busybox');
      const commands = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n');
      for (const command of commands.filter((one) => one !== '' && one !== 'busybox')) {
        await symlink('busybox', join(root, 'usr/bin', command)).catch(keepExisting);
      }
      const users = ['root:x:0:0::/root:/bin/sh', 'node:x:1000:1000::/tmp:/bin/sh'];
      await writeFile(join(root, 'etc/passwd'), `${users.join('\n')}\n`);
      await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
      await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
    },
  });
}

function keepExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

// As the scripts of the official images: arguments alone are those of the server.
const entrypointOf = (server: string) =>
  `#!/bin/sh\ncase "\${1:-}" in -* | '') set -- ${server} "$@" ;; esac\nexec "$@"\n`;

/** Writes a program to a folder of an image. */
async function writeProgram(file: string, text: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
}

/** Debian's NATS server under names of the official image; `folder` is for its files. */
export async function buildNats(
  engine: Engine,
  names: readonly string[],
  folder: string,
): Promise<void> {
  const server = await findNatsServer(environment, log);
  if (server === undefined) throw new Error('There is no nats-server');
  const files = join(folder, 'files');
  await writeProgram(
    join(files, 'usr/local/bin/docker-entrypoint.sh'),
    entrypointOf('nats-server'),
  );
  await copyFile(server, join(files, 'usr/local/bin/nats-server'));
  const instructions = [`ENV PATH=${path}`, 'ENTRYPOINT ["docker-entrypoint.sh"]'];
  await buildImage(engine, { names, folders: [await debianFolder(), files], instructions }, folder);
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';

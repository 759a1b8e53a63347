import { execFileSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  readFile,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readLauncherEnvironment } from '@billing/local/config';
import { installDebianPackages } from '@billing/local/debian-packages';
import { documentDbLibraries, installDocumentDb } from '@billing/local/documentdb';
import { installFerretDb } from '@billing/local/ferretdb';
import { findNatsServer } from '@billing/local/nats-server';
import { settings } from '@billing/local/postgres';
import type { Engine } from './engine';

/** An image that stands in for an official one, under its names. */
interface StandIn {
  readonly names: readonly string[];
  /** Folders that lie one over the other, and on a Debian. */
  readonly folders: readonly string[];
  /** Further instructions of its Dockerfile. */
  readonly instructions: readonly string[];
}

const environment = readLauncherEnvironment();
const log = (line: string) => process.stderr.write(`${line}\n`);
const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';
const users = { root: 0, mongodb: 999, node: 1000 };

/** Builds an image; `work` is for its Dockerfile. */
async function buildImage(
  engine: Engine,
  { names, folders, instructions }: StandIn,
  work: string,
): Promise<void> {
  const file = join(work, 'Dockerfile');
  const all = [await debianFolder(), ...folders];
  const copies = all.map((_folder, index) => `COPY --from=part${String(index)} / /`);
  await writeFile(file, ['FROM scratch', ...copies, `ENV ${path}`, ...instructions, ''].join('\n'));
  const flags = [
    ...all.flatMap((folder, index) => ['--build-context', `part${String(index)}=${folder}`]),
    ...names.flatMap((name) => ['--tag', name]),
  ];
  await engine.docker(['build', '--file', file, ...flags, work]);
}

/** A Debian with a shell and the usual commands. */
async function debianFolder(): Promise<string> {
  return await installDebianPackages({
    packages: ['base-files', 'busybox-static', 'coreutils', 'libstdc++6'],
    environment,
    log,
    finish: async (root) => {
      const busybox = join(root, 'usr/bin/busybox');
      const commands = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n');
      for (const command of commands.filter((one) => one !== '')) {
        await symlink('busybox', join(root, 'usr/bin', command)).catch(keepExisting);
      }
      const accounts = Object.entries(users).map(([name, id]) => `${name}:x:${String(id)}:`);
      const homes = accounts.map((line) => `${line}${line.split(':')[2] ?? ''}::/tmp:/bin/sh\n`);
      await writeFile(join(root, 'etc/passwd'), homes.join(''));
      await writeFile(join(root, 'etc/group'), `${accounts.join('\n')}\n`);
      await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
    },
  });
}

function keepExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Copies programs to where an image has them. */
async function addPrograms(
  files: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = join(files, 'usr/local/bin');
  await mkdir(folder, { recursive: true });
  for (const [name, source] of Object.entries(programs)) {
    await copyFile(source, join(folder, name));
    await chmod(join(folder, name), 0o755);
  }
}

/** Debian's NATS server. */
export async function buildNats(
  engine: Engine,
  names: readonly string[],
  work: string,
): Promise<void> {
  const server = await findNatsServer(environment, log);
  if (server === undefined) throw new Error('There is no nats-server');
  const files = join(work, 'files');
  const entrypoint = join(__dirname, 'stand-in/nats-entrypoint.sh');
  await addPrograms(files, { 'nats-server': server, 'docker-entrypoint.sh': entrypoint });
  const instructions = ['ENTRYPOINT ["docker-entrypoint.sh"]'];
  await buildImage(engine, { names, folders: [files], instructions }, work);
}

/** FerretDB on PostgreSQL, in the place of MongoDB. */
export async function buildMongoDb(
  engine: Engine,
  names: readonly string[],
  work: string,
): Promise<void> {
  const { root } = await installDocumentDb(environment, log);
  const files = join(work, 'files');
  await addPrograms(files, {
    node: process.execPath,
    ferretdb: await installFerretDb(environment, log),
    mongosh: require.resolve('./stand-in/mongosh.mjs'),
    'docker-entrypoint.sh': join(__dirname, 'stand-in/mongodb-entrypoint.sh'),
  });
  await mkdir(join(files, 'etc'), { recursive: true });
  const configuration = settings({
    socketDir: '/run/mongodb',
    archiveDir: undefined,
    recovery: undefined,
  });
  await writeFile(join(files, 'etc/postgresql.conf'), configuration);
  const instructions = [
    `ENV LC_ALL=C.UTF-8 LD_LIBRARY_PATH=${documentDbLibraries('/')}`,
    // The programs themselves, without the wrappers for another C library.
    'RUN cd /usr/lib/postgresql/18/bin && for name in postgres initdb psql; do mv $name.real $name; done',
    'ENTRYPOINT ["docker-entrypoint.sh"]',
  ];
  await buildImage(engine, { names, folders: [root, files], instructions }, work);
}

/** Debian's Caddy. */
export async function buildCaddy(
  engine: Engine,
  names: readonly string[],
  work: string,
): Promise<void> {
  const root = await installDebianPackages({ packages: ['caddy'], environment, log });
  const files = join(work, 'files');
  await addPrograms(files, { caddy: join(root, 'usr/bin/caddy') });
  const instructions = [
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ];
  await buildImage(engine, { names, folders: [files], instructions }, work);
}

/** The pinned Node with the npm of this machine, which trusts whom this machine trusts. */
export async function buildNode(
  engine: Engine,
  names: readonly string[],
  work: string,
): Promise<void> {
  const files = join(work, 'files');
  await addPrograms(files, { node: process.execPath });
  const npm = await realpath(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());
  const modules = join(files, 'usr/local/lib/node_modules');
  await cp(dirname(dirname(npm)), join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    const target = `../lib/node_modules/npm/bin/${name}-cli.js`;
    await symlink(target, join(files, 'usr/local/bin', name));
  }
  const authorities = environment.all.NODE_EXTRA_CA_CERTS;
  const instructions = ['CMD ["node"]'];
  if (authorities !== undefined) {
    await mkdir(join(files, 'etc/ssl'), { recursive: true });
    await writeFile(join(files, 'etc/ssl/cert.pem'), await readFile(authorities));
    instructions.push('ENV NODE_EXTRA_CA_CERTS=/etc/ssl/cert.pem SSL_CERT_FILE=/etc/ssl/cert.pem');
  }
  await buildImage(engine, { names, folders: [files], instructions }, work);
}

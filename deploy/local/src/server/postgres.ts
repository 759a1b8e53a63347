import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Account, canReach, makePrivateFolder } from '../files/account';
import { runCommand } from '../process/command';
import type { PostgresPrograms } from '../install/documentdb';
import { exists, installOnce } from '../install/installation';
import { openProcessFamily } from '../process/family';
import { identify } from '../process/identity';
import { stopLeftOver } from '../process/record';
import { makeSocketFolder } from '../files/socket-folder';
import { hasUnarchivedTimeline, type LogRecovery, recovering, recoveryFile } from './log-recovery';
import { quotedSetting, shellWord } from './quoting';
import type { Program } from '../process/supervised-process';

export interface PostgresOptions {
  programs: PostgresPrograms;
  /** Short folder: the path of a socket may have 107 bytes. */
  socketDir: string;
  dataDir: string;
  logFile: string;
  account: Account | undefined;
  /**
   * Syncs writes to disk; default true. Otherwise writes survive a killed process, but not a crash
   * of the machine.
   */
  fsync?: boolean | undefined;
  /** Folder of the archived write-ahead log, which the account can write; absent: no archive. */
  archiveDir?: string | undefined;
  /** Recovers files that were copied or put back; absent: those that this server wrote. */
  recovery?: LogRecovery | undefined;
}

/** Refusal of an archive of a MongoDB. */
export const archiveNeedsPostgres = {
  variable: 'BILLING_ARCHIVE',
  problem: 'needs the PostgreSQL of npm start',
};

/** Version of the template; raised when its content changes. */
const TEMPLATE = 1;
const INITDB_TIMEOUT_MS = 2 * 60_000;
const COPY_TIMEOUT_MS = 2 * 60_000;
/** Longer than the recovery of any log: a server that fails ends. */
const RECOVERY_WITHIN_MS = 24 * 60 * 60_000;
const QUERY_TIMEOUT_MS = 60_000;

/**
 * Included by postgresql.conf and rewritten at each start, because the folder of the sockets
 * changes.
 */
const SETTINGS_FILE = 'billing.conf';

// Only processes crash then, so the write-ahead log needs no
// whole pages, and no other server reads it.
const withoutFsync = [
  'fsync = off',
  'full_page_writes = off',
  'wal_level = minimal',
  'max_wal_senders = 0',
];

/**
 * Settings with their reasons. Without the index handler, or with bitmap scans, sorted queries read
 * all matches.
 */
export function settings({
  socketDir,
  fsync = true,
  archiveDir,
  recovery,
}: Pick<PostgresOptions, 'socketDir' | 'fsync' | 'archiveDir' | 'recovery'>): string {
  return [
    ...(fsync ? ['fsync = on'] : withoutFsync),
    ...(archiveDir === undefined ? [] : archiving(archiveDir)),
    ...(recovery === undefined ? [] : recovering(recovery, archiveDir)),
    // No TCP port: users who can open the folder of the sockets may connect.
    "listen_addresses = ''",
    `unix_socket_directories = '${socketDir}'`,
    "shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum'",
    "cron.database_name = 'postgres'",
    `cron.host = '${socketDir}'`,
    // FerretDB queries collections that do not exist yet: each error is one log line, not ten.
    'log_min_messages = warning',
    'log_min_error_statement = panic',
    'log_error_verbosity = terse',
    'log_checkpoints = off',
    // Its jobs run every two seconds; records of their runs would grow without bound.
    'cron.log_run = off',
    'cron.log_statement = off',
    // Creating a collection connects back to the server, by default over TCP.
    `documentdb.localhost_connection_string = 'host=${socketDir}'`,
    "documentdb.alternate_index_handler_name = 'extended_rum'",
    'enable_bitmapscan = off',
    'random_page_cost = 1.1',
    'jit = off',
    // Most documents are large enough to be compressed at each write.
    "default_toast_compression = 'lz4'",
    // Concurrent inserts of one key sometimes deadlock; the loser should get its error soon.
    "deadlock_timeout = '100ms'",
    'max_connections = 200',
    "shared_buffers = '256MB'",
    "max_wal_size = '2GB'",
    '',
  ].join('\n');
}

/** Time after which a segment that is not full is archived, too. */
const ARCHIVE_WITHIN_SECONDS = 60;

/**
 * A segment is complete in the archive or not there. After a crash it is archived again. The
 * partial last segment of a former timeline is not archived: no recovery reads it, and several
 * restores may have different ones of one name.
 */
export function archiving(folder: string): string[] {
  const file = `${shellWord(folder.replaceAll('%', '%%'))}/%f`;
  const copy = `cp %p ${file}.new && sync ${file}.new && mv ${file}.new ${file}`;
  const archive = `if test -f ${file}; then cmp -s %p ${file}; else ${copy}; fi`;
  const command = `case %f in *.partial) ;; *) ${archive};; esac`;
  return [
    'archive_mode = on',
    `archive_command = ${quotedSetting(command)}`,
    `archive_timeout = ${String(ARCHIVE_WITHIN_SECONDS)}`,
  ];
}

/** Initializes a new data folder and returns the program that starts the server on it. */
export async function preparePostgres(
  options: PostgresOptions,
  cacheDir: string,
  log: (line: string) => void,
): Promise<Program> {
  const { dataDir } = options;
  if (!(await exists(join(dataDir, 'PG_VERSION')))) {
    const template = await makeTemplate(options, cacheDir, log);
    await copyTemplate(template, options);
  }
  await removeStalePidFile(dataDir);
  const recovery = await recoveryOf(options);
  await writeFile(join(dataDir, SETTINGS_FILE), settings({ ...options, recovery }));
  if (recovery !== undefined) await writeFile(join(dataDir, recoveryFile), '');
  return serverProgram({ ...options, recovery });
}

async function recoveryOf(options: PostgresOptions): Promise<LogRecovery | undefined> {
  const { recovery, archiveDir, dataDir } = options;
  if (recovery !== undefined || archiveDir === undefined) return recovery;
  return (await hasUnarchivedTimeline(dataDir)) ? {} : undefined;
}

function serverProgram(options: PostgresOptions): Program {
  const { programs, dataDir, socketDir, logFile, account } = options;
  return {
    name: 'postgres',
    command: programs.postgres,
    args: ['-D', dataDir],
    env: postgresEnvironment(socketDir),
    cwd: '/',
    account,
    logFile,
    // "Fast" shutdown: closes connections, writes a checkpoint.
    stopSignal: 'SIGINT',
    isReady: async () => await isAnswering(options),
    ...(options.recovery !== undefined && { readyWithinMs: RECOVERY_WITHIN_MS }),
  };
}

/**
 * Checks readiness. The first query also moves pg_cron's jobs, which store the socket folder, to
 * the current one.
 */
async function isAnswering(options: PostgresOptions): Promise<boolean> {
  const moveJobs = `do $$ begin
    if to_regclass('cron.job') is not null then update cron.job set nodename = '${options.socketDir}'; end if;
  end $$`;
  return await query(options, [moveJobs]).then(
    () => true,
    () => false,
  );
}

async function query(options: PostgresOptions, statements: readonly string[]): Promise<void> {
  const { programs, socketDir, account } = options;
  await runCommand({
    program: programs.psql,
    args: ['-h', socketDir, '-U', 'postgres', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', '-'],
    input: statements.map((statement) => `${statement};\n`).join(''),
    env: postgresEnvironment(socketDir),
    account,
    timeoutMs: QUERY_TIMEOUT_MS,
  });
}

/** Environment without that of the launcher: no secrets, no libraries, no PG* variables. */
export function postgresEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
}

/**
 * Template data folder with the extensions: a copy takes a fraction of the time of a new folder.
 */
async function makeTemplate(
  { programs, account }: PostgresOptions,
  cacheDir: string,
  log: (line: string) => void,
): Promise<string> {
  if (!(await canReach(join(cacheDir, 'any'), account))) {
    throw new Error(`${cacheDir} cannot be reached by the user that PostgreSQL runs as`);
  }
  const owner = String(account?.uid ?? process.getuid?.());
  const name = `postgres-template-${String(TEMPLATE)}-${basename(programs.root)}-${owner}`;
  const folder = await installOnce({
    cacheDir,
    name,
    log,
    install: async (stage) => {
      log('Preparing a database folder');
      const socketDir = await makeSocketFolder(account);
      const dataDir = join(stage, 'data');
      await makePrivateFolder(dataDir, account);
      const logFile = join(stage, 'log');
      try {
        await initialise({ programs, account, dataDir, socketDir, logFile });
      } finally {
        await rm(socketDir, { recursive: true, force: true });
      }
    },
  });
  return join(folder, 'data');
}

async function initialise(options: PostgresOptions): Promise<void> {
  const { programs, account, dataDir, socketDir, logFile } = options;
  await runCommand({
    program: programs.initdb,
    args: ['-D', dataDir, '-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '-E', 'UTF8'],
    env: postgresEnvironment(socketDir),
    account,
    timeoutMs: INITDB_TIMEOUT_MS,
  });
  await appendFile(join(dataDir, 'postgresql.conf'), `\ninclude '${SETTINGS_FILE}'\n`);
  await writeFile(join(dataDir, SETTINGS_FILE), settings(options));
  const family = await openProcessFamily({
    recordFile: `${logFile}.processes`,
    folders: [socketDir],
    log: () => undefined,
  });
  try {
    await family.start(serverProgram(options));
    await query(options, [
      'create extension documentdb cascade',
      'create extension documentdb_extended_rum',
    ]);
  } finally {
    await family.stop();
  }
}

/**
 * Copies the template and renames the complete copy into place, so that a crash leaves no partial
 * database.
 */
async function copyTemplate(template: string, options: PostgresOptions): Promise<void> {
  const { dataDir, account, socketDir } = options;
  const stage = `${dataDir}.stage`;
  await rm(stage, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
  await makePrivateFolder(stage, account);
  await runCommand({
    program: 'cp',
    args: ['-a', '--reflink=auto', `${template}/.`, stage],
    env: postgresEnvironment(socketDir),
    account,
    timeoutMs: COPY_TIMEOUT_MS,
  });
  await rename(stage, dataDir);
}

/**
 * Removes a stale pid file. After a kill of all processes its pid may belong to another program,
 * and PostgreSQL would refuse to start. The file of a dead pid stays: PostgreSQL then also checks
 * for backends that use the shared memory.
 */
async function removeStalePidFile(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  const holder = Number.isNaN(pid) ? undefined : identify(pid);
  if (!holder) return;
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
  if (commandLine.split('\0').includes(dataDir)) {
    await stopLeftOver({ ...holder, stopSignal: 'SIGINT' });
  } else {
    await rm(file, { force: true });
  }
}

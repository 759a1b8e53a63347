import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Account } from '../files/account';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { installGoProgram } from '../install/go-program';
import type { Program } from '../process/supervised-process';

const VERSION = 'v2.7.0';
/**
 * Longer than the driver's heartbeat of half a second: a shorter wait for a server never succeeds.
 */
const SERVER_SELECTION_TIMEOUT_MS = 2_000;

export async function installFerretDb(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string> {
  const program = { name: 'ferretdb', version: VERSION };
  const module = 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb';
  return await installGoProgram({ ...program, module }, environment, log);
}

export interface FerretDbOptions {
  command: string;
  /** Folder of the sockets of PostgreSQL and FerretDB. */
  socketDir: string;
  logFile: string;
  account: Account | undefined;
}

export function ferretDbUri(socketDir: string): string {
  return socketUri(join(socketDir, 'mongodb.sock'));
}

export function socketUri(socket: string): string {
  return `mongodb://${encodeURIComponent(socket)}/?retryWrites=false`;
}

export function ferretDbProgram(options: FerretDbOptions): Program {
  const { command, socketDir, logFile, account } = options;
  const socket = join(socketDir, 'mongodb.sock');
  return {
    name: 'ferretdb',
    command,
    args: [
      `--postgresql-url=postgres://postgres@/postgres?host=${socketDir}`,
      '--listen-addr=',
      `--listen-unix=${socket}`,
      '--no-auth',
      '--telemetry=disable',
      `--state-dir=${socketDir}`,
      '--debug-addr=-',
      '--log-level=error',
    ],
    env: { PATH: '/usr/bin:/bin', HOME: socketDir, TZ: 'UTC' },
    cwd: '/',
    account,
    logFile,
    stopSignal: 'SIGTERM',
    // A killed FerretDB leaves its socket behind, and would not start with it.
    beforeStart: async () => {
      await rm(socket, { force: true });
    },
    isReady: async () => await answersPing(ferretDbUri(socketDir)),
  };
}

export async function answersPing(uri: string): Promise<boolean> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch {
    // Not ready yet.
    return false;
  } finally {
    await client.close();
  }
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, makePrivateFolder } from '../files/account';
import { answersPing, socketUri } from './ferretdb';
import type { Program } from '../process/supervised-process';

export interface MongodOptions {
  command: string;
  dataDir: string;
  socketDir: string;
  logFile: string;
  account: Account | undefined;
}

/**
 * Standalone mongod without a replica set and without a port: the services use no transactions and
 * no change streams.
 */
export async function prepareMongod(options: MongodOptions): Promise<Program> {
  const { command, dataDir, socketDir, logFile, account } = options;
  const socket = join(socketDir, 'mongod.sock');
  await makePrivateFolder(dataDir, account);
  return {
    name: 'mongod',
    command,
    args: ['--dbpath', dataDir, '--bind_ip', socket, '--quiet'],
    env: { PATH: '/usr/bin:/bin', HOME: socketDir, TZ: 'UTC' },
    cwd: '/',
    account,
    logFile,
    stopSignal: 'SIGTERM',
    beforeStart: async () => {
      await rm(socket, { force: true });
    },
    isReady: async () => await answersPing(mongodUri(socketDir)),
  };
}

export function mongodUri(socketDir: string): string {
  return socketUri(join(socketDir, 'mongod.sock'));
}

import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { PostgresPrograms } from '../install/documentdb';
import { documentDbCommand } from '../install/documentdb';
import { runCommand } from '../process/command';
import { postgresEnvironment } from './postgres';

/** Longer than the copy of any database: only a hanging server is given up. */
const COPY_WITHIN_MS = 24 * 60 * 60_000;

/**
 * Copies all databases of a running PostgreSQL, as of one instant: the end of the copy. The target
 * must not exist. Runs as the user of this process, who can open the folder of the socket.
 */
export async function takeBaseBackup(
  { root }: Pick<PostgresPrograms, 'root'>,
  { socketDir, target }: { socketDir: string; target: string },
): Promise<void> {
  const { program, args } = documentDbCommand(root, 'pg_basebackup');
  const copied = runCommand({
    program,
    args: [
      ...args,
      ...['--host', socketDir, '--username', 'postgres', '--no-password'],
      ...['--pgdata', target, '--wal-method', 'stream', '--checkpoint', 'fast'],
    ],
    env: postgresEnvironment('/'),
    timeoutMs: COPY_WITHIN_MS,
  });
  await copied.catch((error: unknown) => {
    // For example a full disk.
    const [reason = ''] = (error as Error).message.split('\n').slice(-1);
    throw new StartRefusal(exitStatuses.busy, `The databases could not be copied: ${reason}`);
  });
}

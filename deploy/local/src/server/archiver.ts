import type { PostgresPrograms } from '../install/documentdb';
import { runCommand } from '../process/command';
import { postgresEnvironment } from './postgres';

/** State of the archive of a running PostgreSQL. */
export interface ArchiverState {
  /** Files of the log that are not archived yet. */
  readonly waiting: number;
  /** File that could not be archived, unless a later attempt has succeeded. */
  readonly failed: string | undefined;
}

const READ_WITHIN_MS = 30_000;
const state = `select (select count(*) from pg_ls_archive_statusdir() where name like '%.ready'),
    case when last_failed_time > coalesce(last_archived_time, '-infinity')
      then last_failed_wal else '' end
  from pg_stat_archiver where current_setting('archive_mode') <> 'off'`;

/** Reads the state of the archive; undefined: the server has none. */
export async function readArchiver(
  { psql }: Pick<PostgresPrograms, 'psql'>,
  socketDir: string,
): Promise<ArchiverState | undefined> {
  const answer = await runCommand({
    program: psql,
    args: ['-h', socketDir, '-U', 'postgres', '-X', '-A', '-t', '-c', state],
    env: postgresEnvironment('/'),
    timeoutMs: READ_WITHIN_MS,
  });
  const [waiting, failed] = answer.trim().split('|');
  if (failed === undefined) return undefined;
  return { waiting: Number(waiting), failed: failed === '' ? undefined : failed };
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { quotedSetting, shellWord } from './quoting';

/**
 * Recovery of files that were copied or put back. Afterwards the server writes a log of its own,
 * whose file names have the number of a new timeline: the server that the files come from may have
 * archived a log that continues the one of the copy.
 */
export interface LogRecovery {
  /** Archived log up to an instant; absent: the log within the files, up to its end. */
  readonly replay?: LogReplay | undefined;
}

/** Transactions of an archived log up to an instant. */
interface LogReplay {
  /** Folder of the archived log, which the account can read. */
  readonly archiveDir: string;
  readonly until: Date;
}

/** Has PostgreSQL recover by these settings; it removes the file afterwards. */
export const recoveryFile = 'recovery.signal';

/**
 * Settings of a recovery. The server is not ready before its end. A new timeline has the first
 * number that no archive has the history of: the one it reads, and the one it writes.
 */
export function recovering({ replay }: LogRecovery, archiveDir: string | undefined): string[] {
  const histories = [archiveDir, replay?.archiveDir].filter((folder) => folder !== undefined);
  const copies = [...new Set(histories)].map(
    (folder) => `cp ${shellWord(folder.replaceAll('%', '%%'))}/%f "%p"`,
  );
  const history = [...copies, 'false'].join(' || ');
  const segment = replay && `cp ${shellWord(replay.archiveDir.replaceAll('%', '%%'))}/%f "%p"`;
  const command = `case %f in *.history) ${history};; *) ${segment ?? 'false'};; esac`;
  return [
    `restore_command = ${quotedSetting(command)}`,
    "recovery_target_timeline = 'current'",
    ...(replay === undefined ? [] : targeting(replay.until)),
    'hot_standby = off',
  ];
}

function targeting(until: Date): string[] {
  return [
    // Its settings read no `T` and no `Z`.
    `recovery_target_time = '${until.toISOString().replace('T', ' ').replace('Z', '+00')}'`,
    "recovery_target_action = 'promote'",
  ];
}

/**
 * True if the timeline of the data was begun without an archive: another server may have archived
 * files of its number. PostgreSQL records the histories that it archives.
 */
export async function hasUnarchivedTimeline(dataDir: string): Promise<boolean> {
  const log = join(dataDir, 'pg_wal');
  const [current] = (await readdir(log)).filter(isHistory).sort().reverse();
  if (current === undefined) return false;
  const recorded = await readdir(join(log, 'archive_status'));
  return !recorded.some((name) => name === `${current}.ready` || name === `${current}.done`);
}

function isHistory(name: string): boolean {
  return /^[0-9A-F]{8}\.history$/.test(name);
}

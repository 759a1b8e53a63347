import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentDbCommand, type PostgresPrograms } from '../install/documentdb';
import { runCommand } from '../process/command';
import { postgresEnvironment } from './postgres';

/** Copy of a PostgreSQL, and the archive of the log that it wrote from then on. */
export interface ArchivedCopy {
  /** Folder of the copied files. */
  readonly copyDir: string;
  readonly archiveDir: string;
}

// Files of the log have 16 MiB, so a number of 8 digits counts to 255.
const SEGMENTS_A_LOG = 0x100;
const READ_WITHIN_MS = 10 * 60_000;

/**
 * Latest instant that the copy can be brought to by its archive: before the last transaction in it,
 * because the server stops at the first one after the instant. Undefined: the archive has none.
 */
export async function lastArchivedInstant(
  { root }: Pick<PostgresPrograms, 'root'>,
  { copyDir, archiveDir }: ArchivedCopy,
): Promise<Date | undefined> {
  const { timeline, first } = await readStart(copyDir);
  const copied = await readdir(join(copyDir, 'pg_wal'));
  const archived = new Set(await readdir(archiveDir));
  const there = new Set([...copied, ...archived]);
  const reached: string[] = [];
  for (let number = first; there.has(segmentName(timeline, number)); number += 1) {
    reached.unshift(segmentName(timeline, number));
  }
  for (const segment of reached.filter((name) => archived.has(name))) {
    const last = await lastCommit(root, { archiveDir, segment });
    if (last !== undefined) return new Date(last.getTime() - 1);
  }
  return undefined;
}

/** The first file of the log that the copy needs. */
async function readStart(copyDir: string): Promise<{ timeline: string; first: number }> {
  const label = await readFile(join(copyDir, 'backup_label'), 'utf8');
  const [, timeline, log, segment] =
    /^START WAL LOCATION: .*\(file ([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\)/m.exec(label) ?? [];
  if (timeline === undefined) throw new Error('backup_label names no file of the log');
  const first =
    Number.parseInt(log ?? '', 16) * SEGMENTS_A_LOG + Number.parseInt(segment ?? '', 16);
  return { timeline, first };
}

function segmentName(timeline: string, number: number): string {
  const parts = [Math.floor(number / SEGMENTS_A_LOG), number % SEGMENTS_A_LOG];
  return timeline + parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
}

async function lastCommit(
  root: string,
  { archiveDir, segment }: { archiveDir: string; segment: string },
): Promise<Date | undefined> {
  const { program, args } = documentDbCommand(root, 'pg_waldump');
  const output = await runCommand({
    program,
    args: [...args, '--path', archiveDir, '--rmgr', 'Transaction', segment],
    env: postgresEnvironment('/'),
    timeoutMs: READ_WITHIN_MS,
  });
  const times = [...output.matchAll(/desc: COMMIT (\S+ \S+) UTC/g)].map(([, time = '']) =>
    Date.parse(`${time.replace(' ', 'T')}Z`),
  );
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}

import { join, resolve } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { canReach, unprivilegedAccount } from '@billing/local/account';
import type { LauncherEnvironment } from '@billing/local/config';
import { lastReplayableInstant } from '@billing/local/data-servers';
import { reportProgress, wrongUsage } from '@billing/local/maintenance';
import { isOfPostgres, type Manifest, postgresFolder } from '../files/manifest';

/** An instant after a backup, and the archive that leads there. */
export interface PointInTime {
  readonly archiveDir: string;
  readonly at: Date;
}

/** Reads the flags `--archive` and `--at`, which are given together. */
export function readPointInTime(
  { archive, at }: { readonly archive?: string | undefined; readonly at?: string | undefined },
  usage: string,
): PointInTime | undefined {
  if (archive === undefined && at === undefined) return undefined;
  if (archive === undefined || at === undefined) {
    throw wrongUsage('--archive and --at belong together', usage);
  }
  return { archiveDir: resolve(archive), at: readInstant('--at', at, usage) };
}

/** Reads a flag whose value is an instant. */
export function readInstant(flag: string, value: string, usage: string): Date {
  const hasZone = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(value);
  const instant = new Date(value);
  if (hasZone && !Number.isNaN(instant.getTime())) return instant;
  const text = `${flag} must be an instant, for example 2026-11-22T15:30:00Z`;
  throw wrongUsage(text, usage);
}

interface Wanted {
  /** Folder of the backup. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly point: PointInTime;
  readonly environment: LauncherEnvironment;
}

/** Refuses an instant that backup and archive do not reach. */
export async function refuseOutOfReach(wanted: Wanted): Promise<void> {
  const { folder, manifest, point, environment } = wanted;
  if (manifest.final || !isOfPostgres(manifest)) {
    throw refused('--at: the backup must be one of the PostgreSQL of npm start, and not final');
  }
  await refuseUnreadable(point.archiveDir);
  const from = new Date(manifest.instant);
  const copy = { copyDir: join(folder, postgresFolder), archiveDir: point.archiveDir };
  const last = await lastReplayableInstant(environment, copy, reportProgress);
  const until = last !== undefined && last > from ? last : from;
  if (point.at >= from && point.at <= until) return;
  throw refused(`Can restore from ${from.toISOString()} to ${until.toISOString()}`);
}

/** The server reads the archive as its own user. */
async function refuseUnreadable(archiveDir: string): Promise<void> {
  if (await canReach(join(archiveDir, 'any'), unprivilegedAccount())) return;
  throw refused('--archive: cannot be read by the user that the databases run as');
}

function refused(message: string): StartRefusal {
  return new StartRefusal(exitStatuses.configuration, message);
}

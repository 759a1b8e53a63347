import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOlder } from '@billing/chassis/version';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { z } from 'zod';

export const manifestFile = 'manifest.json';
/** Folder of the copied PostgreSQL, below the backup's folder. */
export const postgresFolder = 'databases/postgres';

const text = z.string().min(1);
// Below the backup's folder: no absolute path, and none that leads out of it.
const path = text.regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))/);
// The name of a folder, too.
const database = text.regex(/^[\w-]+$/);
const count = z.number().int().nonnegative();

const schema = z.object({
  format: z.literal(1),
  version: text,
  /** Folders of the system on its machine; `databases` is null on servers of your own. */
  installation: z.object({ data: text, databases: text.nullable() }),
  instant: z.iso.datetime(),
  final: z.boolean(),
  databases: z.array(z.object({ service: text, database })),
  secrets: z.array(z.object({ name: text, fingerprint: text })),
  files: z.array(z.object({ path, bytes: count, sha256: z.string().length(64) })),
  documents: z.record(z.string(), count),
});

/** Content of a backup. */
export type Manifest = z.infer<typeof schema>;

/** Refusal of a backup with a file that is missing or was changed. */
export function damagedBackup(file: string): StartRefusal {
  return new StartRefusal(exitStatuses.damaged, `Backup is damaged: ${file}`);
}

/** Reads the manifest of a backup; refuses a damaged one, and that of a later release. */
export async function readManifest(folder: string, release: string): Promise<Manifest> {
  const content = await readFile(join(folder, manifestFile), 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new StartRefusal(exitStatuses.configuration, `No backup in ${folder}`);
  });
  return parseManifest(content, release);
}

export function parseManifest(content: string, release: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw damagedBackup(manifestFile);
  }
  // First: a later release may describe its backups in another way.
  const version = z.object({ version: text }).safeParse(value).data?.version;
  if (version !== undefined && isOlder(release, version)) {
    const message = `The backup was made by ${version}; this is ${release}`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damagedBackup(manifestFile);
  return parsed.data;
}

/** True for a copy of the launcher's PostgreSQL, false for documents of single databases. */
export function isOfPostgres({ files }: Pick<Manifest, 'files'>): boolean {
  return files.some((file) => file.path.startsWith(`${postgresFolder}/`));
}

/** Name of a backup's folder: `billing-20261128T120000Z`. */
export function backupName(instant: Date): string {
  return `billing-${instant.toISOString().replace(/[-:]|\.\d+/g, '')}`;
}

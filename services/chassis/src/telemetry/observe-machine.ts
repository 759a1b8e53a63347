import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import type { Clock } from '../clock';
import type { Metrics } from './metrics';

type Observed = Pick<Metrics, 'observe'>;

/** Observes the number of indexes that a start waits for. */
export function observeMissingIndexes(
  metrics: Observed,
  indexes: { readonly missing: number },
): void {
  metrics.observe('missingIndexes', () =>
    Promise.resolve([{ value: indexes.missing, attributes: {} }]),
  );
}

/** The process's certificate as PEM, and the file that it was read from, if any. */
interface OwnCertificate {
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_CERT_FILE?: string | undefined;
}

/** Observes the age of the last backup, in the one database that records it. */
export function observeBackup(
  metrics: Observed,
  system: { lastBackup: () => Promise<Date | undefined> },
  clock: Clock,
): void {
  metrics.observe('backupAge', async () => {
    const at = await system.lastBackup();
    if (at === undefined) return [];
    return [{ value: (clock.now().getTime() - at.getTime()) / 1_000, attributes: {} }];
  });
}

/** Observes the free share of the disk that a folder is on. */
export function observeDisk(metrics: Observed, folder: string): void {
  metrics.observe('diskFree', async () => [{ value: await freeShareOf(folder), attributes: {} }]);
}

/** Space of a disk for users other than root, as `df` reports it. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Space of the disk that a folder is on. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bfree, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
}

async function freeShareOf(folder: string): Promise<number> {
  const { freeBytes, totalBytes } = await readDiskSpace(folder);
  return totalBytes === 0 ? 1 : freeBytes / totalBytes;
}

/** Observes the time until the process's own certificate expires, if it has one. */
export function observeCertificate(
  metrics: Observed,
  { GRPC_TLS_CERT: given, GRPC_TLS_CERT_FILE: file }: OwnCertificate,
  clock: Clock,
): void {
  if (given === undefined) return;
  metrics.observe('certificateRemaining', async () => {
    const expiresAt = await certificateExpiry({ given, file });
    return [{ value: (expiresAt.getTime() - clock.now().getTime()) / 1_000, attributes: {} }];
  });
}

/** Reads when a certificate expires. Its file is replaced when it is renewed. */
export async function certificateExpiry({
  given,
  file,
}: {
  readonly given: string;
  readonly file: string | undefined;
}): Promise<Date> {
  const pem = file === undefined ? given : await readFile(file, 'utf8');
  return new Date(new X509Certificate(pem).validTo);
}

import { StorageGuard } from '../mongo/storage-guard';
import type { Metrics } from '../telemetry/metrics';
import { observeDisk } from '../telemetry/observe-machine';
import type { ServiceConfiguration } from './configuration';
import type { PeriodicRuns } from './periodic-work';

/** Interval in which a service notices a full disk, and space that is back. */
export const watchEveryMs = 1_000;

interface StorageOwner {
  readonly configuration: ServiceConfiguration;
  readonly metrics: Metrics;
}

/**
 * Watches the disk. Returns a function that reports if nothing can be written; background work
 * pauses while it returns true.
 */
export async function watchStorage(
  { configuration, metrics }: StorageOwner,
  periodic: PeriodicRuns,
): Promise<() => boolean> {
  const { DISK_RESERVE_FOLDER: folder, DISK_RESERVE_MB: megabytes } = configuration;
  if (folder === undefined) return () => false;
  const guard = new StorageGuard({ folder, reserveBytes: megabytes * 1024 * 1024 });
  await guard.check();
  observeDisk(metrics, folder);
  periodic.start({
    name: 'watch storage',
    everyMs: watchEveryMs,
    run: () => guard.check(),
    writes: 'nothing',
  });
  return () => guard.isFull;
}

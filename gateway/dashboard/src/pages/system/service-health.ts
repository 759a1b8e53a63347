import type { ReplicaStatus, ServiceStatus } from '@billing/gateway/service-statuses';
import { countText, pluralText } from '../../parts/text/text';

type Disk = NonNullable<ServiceStatus['disk']>;

// Longer than a restart of the missing service or of NATS takes.
const outboxAgeMaxSeconds = 60;
const streamLagMax = 1_000;
const loopDelayMaxMs = 100;
// As in the alert BillingDiskLow.
const freeShareMin = 0.15;

/** Problems of a service as sentences; empty if the service is healthy. */
export function problemsOfService({
  name,
  version,
  databaseReachable,
  streamReachable,
  streamReplicasMissing,
  outboxAgeSeconds,
  streamLag,
  eventLoopDelayMs,
  disk = null,
}: Omit<ServiceStatus, 'startedAt' | 'ready' | 'memoryBytes' | 'replicas' | 'disk'> &
  Partial<Pick<ServiceStatus, 'disk'>>): readonly string[] {
  if (version === null) return [`${name} is not responding.`];
  const found = [
    databaseReachable === false && `${name} cannot reach its database.`,
    streamReachable === false &&
      `${name} cannot reach the event stream. Webhooks are delayed by some seconds.`,
    (streamReplicasMissing ?? 0) > 0 &&
      `Missing replicas of the event stream: ${countText(streamReplicasMissing ?? 0)}.`,
    (outboxAgeSeconds ?? 0) > outboxAgeMaxSeconds &&
      `${name} has outbox entries pending for ${countText(Math.round(outboxAgeSeconds ?? 0))} s.`,
    (streamLag ?? 0) > streamLagMax && `${name} is ${countText(streamLag ?? 0)} events behind.`,
    (eventLoopDelayMs ?? 0) > loopDelayMaxMs && `${name} is overloaded.`,
    disk !== null &&
      disk.freeBytes < disk.totalBytes * freeShareMin &&
      `${name}: ${diskText(disk)}`,
  ];
  return found.filter((text) => text !== false);
}

/** Versions of the living replicas, as a sentence. */
export function versionsText(replicas: readonly Omit<ReplicaStatus, 'id' | 'seenAt'>[]): string {
  const living = replicas.filter((replica) => replica.living);
  const versions = [...new Set(living.map(({ version }) => version))].toSorted();
  if (versions.length === 0) return 'No replica has a heartbeat.';
  const run = living.length === 1 ? 'runs' : 'run';
  return `${pluralText(living.length, 'replica')} ${run} version ${versions.join(' and ')}.`;
}

/** Disks of the data; services on one machine share one. */
export function disksOf(services: readonly Pick<ServiceStatus, 'disk'>[]): readonly Disk[] {
  const disks = services.flatMap(({ disk }) => disk ?? []);
  // Its free space changes while the services answer.
  const bySize = new Map(disks.map((disk) => [disk.totalBytes, disk]));
  return [...bySize.values()];
}

const tenths = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** “Disk of the data: 41 % free (12.3 of 30.0 GiB).” */
export function diskText({ freeBytes, totalBytes }: Disk): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((freeBytes / totalBytes) * 100);
  const [free, total] = [freeBytes, totalBytes].map((bytes) => tenths.format(bytes / 2 ** 30));
  return `Disk of the data: ${String(percent)} % free (${String(free)} of ${String(total)} GiB).`;
}

/** 187 MiB */
export function bytesText(bytes: number): string {
  return `${countText(Math.round(bytes / 2 ** 20))} MiB`;
}

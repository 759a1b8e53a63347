import type { ServiceStatus } from '@billing/gateway/service-statuses';
import { countText } from '../../parts/text/text';

// Longer than a restart of the missing service or of NATS takes.
const outboxAgeMaxSeconds = 60;
const streamLagMax = 1_000;
const loopDelayMaxMs = 100;

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
}: Omit<ServiceStatus, 'startedAt' | 'ready' | 'memoryBytes'>): readonly string[] {
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
  ];
  return found.filter((text) => text !== false);
}

/** 187 MiB */
export function bytesText(bytes: number): string {
  return `${countText(Math.round(bytes / 2 ** 20))} MiB`;
}

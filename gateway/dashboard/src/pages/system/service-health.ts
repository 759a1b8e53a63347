import type { ServiceStatus } from '@billing/gateway/dashboard/service-statuses';
import { countText } from '../../parts/text';

// Longer than a restart of whatever is waited for takes.
const outboxAgeMaxSeconds = 60;
const streamLagMax = 1_000;
const loopDelayMaxMs = 100;

/** What is wrong with a service, in sentences; none where all is well. */
export function trouble({
  name,
  version,
  databaseReachable,
  streamReachable,
  streamReplicasMissing,
  outboxAgeSeconds,
  streamLag,
  eventLoopDelayMs,
}: Omit<ServiceStatus, 'startedAt' | 'ready' | 'memoryBytes'>): readonly string[] {
  if (version === null) return [`${name} does not answer.`];
  const found = [
    databaseReachable === false && `${name} does not reach its database.`,
    streamReachable === false &&
      `${name} does not reach the event stream; webhooks come some seconds later.`,
    (streamReplicasMissing ?? 0) > 0 &&
      `The event stream lacks ${countText(streamReplicasMissing ?? 0)} of its replicas.`,
    (outboxAgeSeconds ?? 0) > outboxAgeMaxSeconds &&
      `${name} has not told others of a change for ${countText(Math.round(outboxAgeSeconds ?? 0))} s.`,
    (streamLag ?? 0) > streamLagMax && `${name} is ${countText(streamLag ?? 0)} events behind.`,
    (eventLoopDelayMs ?? 0) > loopDelayMaxMs && `${name} has more to do than it can.`,
  ];
  return found.filter((text) => text !== false);
}

/** 187 MiB */
export function bytesText(bytes: number): string {
  return `${countText(Math.round(bytes / 2 ** 20))} MiB`;
}

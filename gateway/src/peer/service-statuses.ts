import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import { processStatus } from '@billing/chassis/process';
import {
  type DiskSpace,
  type GetStatusResponse,
  type StuckCommand,
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { notFound } from '@billing/kernel/domain-error';
import { toJsonTime } from '@billing/proto/json/scalars';
import type { Call } from '../http/exchange';

/** Dependencies of the status report. */
export interface ServiceStatusesOptions extends Pick<PeerOptions<never>, 'service' | 'security'> {
  /** Clients by service name. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly version: string;
  readonly clock: Clock;
}

// Reports a service that hangs instead of hanging with it. Services use half of it for their own
// reads.
const timeoutMs = 1_000;

/** Status of every service. If replicas share an address, the status of the one that responds. */
export class ServiceStatuses {
  private readonly peers: ReadonlyMap<string, Peer<SystemServiceServer>>;
  private readonly startedAt: Date;

  constructor(private readonly options: ServiceStatusesOptions) {
    const { addresses, service, security, clock } = options;
    this.startedAt = clock.now();
    this.peers = new Map(
      Object.entries(addresses).map(([name, address]) => {
        const caller = { service, security, address, retries: false };
        const withoutTenant = ['getStatus'] as const;
        const peer = connectPeer<SystemServiceServer>(SystemServiceService, {
          ...caller,
          withoutTenant,
        });
        return [name, peer];
      }),
    );
  }

  close(): void {
    for (const peer of this.peers.values()) peer.close();
  }

  /** Loads all statuses in parallel. The gateway comes first. */
  async read(call: Call) {
    const deadline = new Date(this.options.clock.now().getTime() + timeoutMs);
    // Status calls carry no tenant.
    const context = { ...call, deadline } as CallContext;
    const [own, ...others] = await Promise.all([
      processStatus(),
      ...[...this.peers].map(async ([name, peer]) => {
        try {
          return toJsonStatus(name, await peer.getStatus({}, context));
        } catch {
          // For any error, the service counts as unavailable.
          return unanswered(name);
        }
      }),
    ]);
    return [this.gateway(own), ...others];
  }

  /** Stuck commands of all services that respond, earliest failure first. */
  async stuckCommands(context: CallContext): Promise<StuckCommandOfService[]> {
    const deadline = new Date(this.options.clock.now().getTime() + timeoutMs);
    const found = await Promise.all(
      [...this.peers].map(async ([service, peer]) => {
        try {
          const { commands } = await peer.listStuckCommands({}, { ...context, deadline });
          return commands.map((command) => toJsonStuckCommand(service, command));
        } catch {
          // The list of services already reports that it does not respond.
          return [];
        }
      }),
    );
    return found.flat().sort((a, b) => (a.since < b.since ? -1 : 1));
  }

  async retryStuckCommand({ service, id }: CommandName, context: CallContext): Promise<void> {
    await this.peerOf(service).retryStuckCommand({ id }, context);
  }

  async skipStuckCommand({ service, id }: CommandName, context: CallContext): Promise<void> {
    await this.peerOf(service).skipStuckCommand({ id }, context);
  }

  private peerOf(service: string): Peer<SystemServiceServer> {
    const peer = this.peers.get(service);
    if (peer === undefined) throw notFound('Stuck command');
    return peer;
  }

  private gateway(own: Awaited<ReturnType<typeof processStatus>>) {
    const { service, version } = this.options;
    return {
      ...unanswered(service),
      version,
      ready: true,
      startedAt: toJsonTime(this.startedAt),
      ...toJsonProcess(own),
    };
  }
}

/** Reference to a stuck command. */
interface CommandName {
  readonly service: string;
  readonly id: string;
}

/** JSON form of a command that keeps failing. */
export interface StuckCommandOfService extends CommandName {
  readonly environmentId: string;
  readonly aggregate: string;
  readonly aggregateId: string;
  /** Kind of the command, such as `billPeriod`. */
  readonly type: string;
  readonly attempts: number;
  readonly lastError: string;
  readonly since: string;
}

/**
 * Status of a service that does not respond. Also the defaults of values that a service does not
 * have.
 */
function unanswered(name: string): ServiceStatus {
  return {
    name,
    version: null,
    ready: false,
    startedAt: null,
    databaseReachable: null,
    streamReachable: null,
    streamReplicasMissing: null,
    outboxAgeSeconds: null,
    streamLag: null,
    eventLoopDelayMs: null,
    memoryBytes: null,
    replicas: [],
    disk: null,
  };
}

/**
 * JSON form of a service status. Null for values that do not apply or if the service did not
 * respond.
 */
export interface ServiceStatus {
  readonly name: string;
  readonly version: string | null;
  /** True if the service and its database respond. */
  readonly ready: boolean;
  readonly startedAt: string | null;
  readonly databaseReachable: boolean | null;
  readonly streamReachable: boolean | null;
  readonly streamReplicasMissing: number | null;
  readonly outboxAgeSeconds: number | null;
  readonly streamLag: number | null;
  readonly eventLoopDelayMs: number | null;
  readonly memoryBytes: number | null;
  /** Replicas with a heartbeat; empty if the service keeps none. */
  readonly replicas: readonly ReplicaStatus[];
  /** Disk of the data; null if it is not on the machine of the service. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null;
}

/** JSON form of a replica. */
export interface ReplicaStatus {
  readonly id: string;
  readonly version: string;
  readonly seenAt: string;
  /** True if its heartbeat moves. */
  readonly living: boolean;
}

function toJsonStatus(name: string, status: GetStatusResponse): ServiceStatus {
  const { version, databaseReachable, streamReachable, outboxAgeSeconds, streamLag } = status;
  return {
    name,
    version,
    ready: databaseReachable,
    startedAt: toJsonTime(status.startedAt),
    databaseReachable,
    streamReachable,
    streamReplicasMissing: status.streamReplicasMissing ?? null,
    outboxAgeSeconds: outboxAgeSeconds ?? null,
    streamLag: streamLag === undefined ? null : Number(streamLag),
    ...toJsonProcess(status),
    replicas: status.replicas.map(({ seenAt, ...replica }) => {
      return { ...replica, seenAt: toJsonTime(seenAt) };
    }),
    disk: status.disk === undefined ? null : toJsonDisk(status.disk),
  };
}

function toJsonDisk({ freeBytes, totalBytes }: DiskSpace) {
  return { freeBytes: Number(freeBytes), totalBytes: Number(totalBytes) };
}

function toJsonStuckCommand(service: string, command: StuckCommand): StuckCommandOfService {
  const { id, environmentId, aggregate, aggregateId, type, attempts, lastError } = command;
  const since = toJsonTime(command.since);
  return { service, id, environmentId, aggregate, aggregateId, type, attempts, lastError, since };
}

function toJsonProcess({
  eventLoopDelaySeconds,
  memoryBytes,
}: Pick<GetStatusResponse, 'eventLoopDelaySeconds' | 'memoryBytes'>) {
  return {
    eventLoopDelayMs: Math.round(eventLoopDelaySeconds * 1e6) / 1e3,
    memoryBytes: Number(memoryBytes),
  };
}

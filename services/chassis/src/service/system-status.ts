import { systemCallers } from '../grpc/callers';
import { processStatus } from './process';
import {
  type GetStatusResponse,
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { answerBy } from '../grpc/call-context';
import { sleep } from '../clock';
import type { DeletionLimits } from './environment-deletion';
import type { Replicas } from '../replicas/replicas';
import type { StreamState } from '../telemetry/metrics';
import { readDiskSpace } from '../telemetry/observe-machine';
import type { StuckCommands } from '../outbox/stuck-commands';
import { type RpcService, type RpcDependencies, rpcService } from '../grpc/rpc';

/** Sources of a service's status. */
export interface StatusSources {
  readonly service: string;
  readonly version: string;
  /** Real time. */
  readonly startedAt: Date;
  readonly streamState: () => Promise<StreamState>;
  readonly isDatabaseUp: () => Promise<boolean>;
  /**
   * Deletes the service's documents of an environment; false if the time was over before the end.
   */
  readonly deleteEnvironment: (environmentId: string, limits: DeletionLimits) => Promise<boolean>;
  /** In seconds, one for each kind of aggregate. */
  readonly outboxAges: () => Promise<readonly number[]>;
  /** Number of waiting events for each of the service's consumers. */
  readonly streamLags: () => Promise<readonly number[]>;
  readonly replicas: Pick<Replicas, 'list'>;
  /** Folder on the disk of the data; undefined if it is elsewhere. */
  readonly diskFolder: string | undefined;
  readonly stuckCommands: Pick<StuckCommands, 'list' | 'retry' | 'skip'>;
}

// A hanging dependency must be reported, not make the status hang, too.
const readTimeoutMs = 500;

/**
 * The call with which people see the status of a service. It reads its sources only when called.
 */
export function systemRpc(sources: StatusSources): (dependencies: RpcDependencies) => RpcService {
  return rpcService<SystemServiceServer>(
    SystemServiceService,
    {
      getStatus: () => statusOf(sources),

      listStuckCommands: async (_request, context) => ({
        commands: await sources.stuckCommands.list(context),
      }),

      retryStuckCommand: async ({ id }, context) => {
        await sources.stuckCommands.retry(id, context);
        return {};
      },

      skipStuckCommand: async ({ id }, context) => {
        await sources.stuckCommands.skip(id, context);
        return {};
      },

      deleteEnvironment: async ({ environmentId }, { deadline, signal }) => {
        const limits = { until: answerBy({ deadline }), signal };
        return { isDone: await sources.deleteEnvironment(environmentId, limits) };
      },
    },
    // The status is also needed under overload.
    {
      withoutTenant: ['getStatus', 'deleteEnvironment'],
      unlimited: 'all',
      freesStorage: ['deleteEnvironment'],
      whileRecovering: ['getStatus', 'listStuckCommands'],
      callers: systemCallers,
    },
  );
}

async function statusOf(sources: StatusSources): Promise<GetStatusResponse> {
  const { service, version, startedAt, diskFolder: folder } = sources;
  const [isDatabaseUp, stream, ages, lags, replicas = [], disk, own] = await Promise.all([
    inTime(sources.isDatabaseUp),
    inTime(sources.streamState),
    inTime(sources.outboxAges),
    inTime(sources.streamLags),
    inTime(() => sources.replicas.list()),
    inTime(async () => (folder === undefined ? undefined : await readDiskSpace(folder))),
    processStatus(),
  ]);
  const hasConsumers = lags !== undefined && lags.length > 0;
  return {
    service,
    version,
    startedAt,
    databaseReachable: isDatabaseUp === true,
    streamReachable: stream?.isConnected === true,
    streamReplicasMissing: stream?.missingReplicas,
    outboxAgeSeconds: ages === undefined ? undefined : Math.max(0, ...ages),
    streamLag: hasConsumers ? BigInt(lags.reduce((sum, lag) => sum + lag, 0)) : undefined,
    replicas: replicas.map(({ replica: id, release, at, isLiving: living }) => {
      return { id, version: release, seenAt: at, living };
    }),
    disk: disk && { freeBytes: BigInt(disk.freeBytes), totalBytes: BigInt(disk.totalBytes) },
    ...own,
  };
}

/** Undefined if the value cannot be read in time. */
async function inTime<T>(read: () => Promise<T>): Promise<T | undefined> {
  const limit = new AbortController();
  try {
    return await Promise.race([read(), sleep(readTimeoutMs, limit.signal).then(() => undefined)]);
  } catch {
    return undefined;
  } finally {
    limit.abort();
  }
}

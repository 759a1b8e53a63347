import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type GetStatusResponse,
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { answerBy } from './call-context';
import type { Callers } from './callers';
import { sleep } from './clock';
import type { DeletionLimits } from './environment-deletion';
import type { StreamState } from './stream-definition';
import type { StuckCommands } from './stuck-commands';
import { type RpcService, type RpcDependencies, rpcService } from './rpc';

/** What a service tells of itself. */
export interface StatusSources {
  readonly service: string;
  readonly version: string;
  /** Real time. */
  readonly startedAt: Date;
  readonly streamState: () => Promise<StreamState>;
  readonly isDatabaseUp: () => Promise<boolean>;
  /** Deletes what the service has of an environment; false if the time was over before. */
  readonly deleteEnvironment: (environmentId: string, limits: DeletionLimits) => Promise<boolean>;
  /** In seconds, one for each kind of aggregate. */
  readonly outboxAges: () => Promise<readonly number[]>;
  /** Events that wait for each of the service's consumers. */
  readonly streamLags: () => Promise<readonly number[]>;
  readonly stuckCommands: Pick<StuckCommands, 'list' | 'retry' | 'skip'>;
}

// Whoever looks wants to be told that something hangs, not to hang with it.
const readTimeoutMs = 500;
const eventLoopSampleMs = 100;
const eventLoopResolutionMs = 10;

/** The dashboard shows every service and its stuck commands; identity deletes environments. */
export const systemCallers: Callers<SystemServiceServer> = {
  getStatus: ['gateway'],
  listStuckCommands: ['gateway'],
  retryStuckCommand: ['gateway'],
  skipStuckCommand: ['gateway'],
  deleteEnvironment: ['identity'],
};

/** The call by which people see how a service is. It reads when it is asked, and only then. */
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
    // It is asked for when there is too much to do, too.
    {
      withoutTenant: ['getStatus', 'deleteEnvironment'],
      unlimited: 'all',
      freesStorage: ['deleteEnvironment'],
      callers: systemCallers,
    },
  );
}

async function statusOf(sources: StatusSources): Promise<GetStatusResponse> {
  const { service, version, startedAt } = sources;
  const [isDatabaseUp, stream, ages, lags, own] = await Promise.all([
    inTime(sources.isDatabaseUp),
    inTime(sources.streamState),
    inTime(sources.outboxAges),
    inTime(sources.streamLags),
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
    ...own,
  };
}

/** How the process itself is. Its event loop is watched for a moment: to watch it for ever would wake it fifty times a second. */
export async function processStatus(): Promise<
  Pick<GetStatusResponse, 'eventLoopDelaySeconds' | 'memoryBytes'>
> {
  const delays = monitorEventLoopDelay({ resolution: eventLoopResolutionMs });
  delays.enable();
  await sleep(eventLoopSampleMs);
  delays.disable();
  // What it measures is the time between ticks; that of an idle loop is the resolution itself.
  const measured = delays.count === 0 ? 0 : delays.percentile(99) / 1e9;
  return {
    eventLoopDelaySeconds: Math.max(measured - eventLoopResolutionMs / 1_000, 0),
    memoryBytes: BigInt(process.memoryUsage.rss()),
  };
}

/** What cannot be read, or not in time, is undefined. */
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

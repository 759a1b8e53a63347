import {
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import type { Logger } from '../telemetry/logging';
import type { StreamState } from '../telemetry/metrics';

const minuteMs = 60_000;
// Long enough for a consumer that is down over a weekend; after that the event logs provide missing
// events.
const maxAgeMs = 3 * 24 * 60 * minuteMs;
const duplicateWindowMs = 2 * minuteMs;
// Codes of a server that is not in a cluster, or whose cluster has too few servers.
const tooFewServersCodes = [10074, 10005];

/** Creates the stream with its settings, and corrects those of an existing one. */
export class StreamDefinition {
  constructor(
    private readonly options: {
      readonly name: string;
      readonly replicas: number;
      /** Absent: the limit that the operator set, if any. */
      readonly maxBytes: number | undefined;
      readonly logger: Logger;
    },
  ) {}

  /**
   * Replicas are raised and never lowered. If there are too few servers, the stream stays as it is.
   */
  async ensure({ streams }: JetStreamManager): Promise<void> {
    const { name, replicas, maxBytes, logger } = this.options;
    const wanted = streamSettings(name, maxBytes);
    const config = await this.find(streams);
    if (config === undefined) {
      // Another process may create the same stream concurrently; then both succeed.
      await this.withReplicas(replicas, (num_replicas) =>
        streams.add({ name, ...wanted, num_replicas }),
      );
      logger.info({ stream: name }, 'stream created');
      return;
    }
    const { retention, storage } = wanted;
    if (!matches(config, { retention, storage })) {
      throw new Error(`The stream ${name} exists with another retention or storage`);
    }
    const isRaised = config.num_replicas < replicas;
    if (matches(config, wanted) && !isRaised) return;
    const present = config.num_replicas;
    await this.withReplicas(
      Math.max(replicas, present),
      (num_replicas) => streams.update(name, { ...wanted, num_replicas }),
      present,
    );
    logger.info({ stream: name }, 'stream settings updated');
  }

  async state({ streams }: JetStreamManager): Promise<StreamState> {
    const { name, replicas } = this.options;
    const missingReplicas = Math.max(0, replicas - currentReplicas(await streams.info(name)));
    return { isConnected: true, missingReplicas };
  }

  private async find(streams: JetStreamManager['streams']): Promise<StreamConfig | undefined> {
    try {
      return (await streams.info(this.options.name)).config;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return undefined;
    }
  }

  // One copy is enough to serve, and an alert reports the missing ones; without a stream every
  // webhook would be slow.
  private async withReplicas(
    replicas: number,
    write: (replicas: number) => Promise<unknown>,
    otherwise = 1,
  ): Promise<void> {
    const { name: stream, logger } = this.options;
    try {
      await write(replicas);
    } catch (error) {
      if (replicas === otherwise || !isShortOfServers(error)) throw error;
      logger.error({ err: error, stream, replicas }, 'stream replica count not available');
      await write(otherwise);
    }
  }
}

/** True if the server reports that a stream or consumer does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}

// Other limits belong to the operator, who sets them on the stream or the server; they are never
// changed here.
function streamSettings(name: string, maxBytes: number | undefined) {
  return {
    subjects: [`${name.toLowerCase()}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(maxAgeMs),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    // A full stream drops its oldest events, which consumers that have not read them yet find in
    // the logs. Refused events would fill outboxes, and calls would be refused because of the
    // stream.
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(duplicateWindowMs),
  };
}

/**
 * Number of copies of the stream that are reachable and up to date. A server without a cluster
 * holds one.
 */
function currentReplicas({ cluster }: Pick<StreamInfo, 'cluster'>): number {
  if (cluster?.leader === undefined) return 1;
  const followers = (cluster.replicas ?? []).filter(({ current, offline }) => current && !offline);
  return 1 + followers.length;
}

function matches(config: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).every(
    ([setting, value]) =>
      JSON.stringify(config[setting as keyof StreamConfig]) === JSON.stringify(value),
  );
}

function isShortOfServers(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return tooFewServersCodes.includes(error.api_error?.err_code ?? 0);
}

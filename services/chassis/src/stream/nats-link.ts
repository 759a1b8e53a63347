import { connect, credsAuthenticator, Events, type NatsConnection } from 'nats';
import { sleep } from '../clock';
import { jitter } from '../ids';
import type { Logger } from '../telemetry/logging';
import { natsAddress } from './nats-address';
import { unreachable } from '../start-refusal';

/** Options of a connection to NATS. */
export interface NatsLinkOptions {
  /** Addresses of NATS servers, separated by commas; see nats-address.ts for credentials. */
  readonly url: string;
  /** Certificate authority of the server in PEM. */
  readonly authority?: string | undefined;
  /** The text of a `.creds` file. */
  readonly credentials?: string | undefined;
  readonly service: string;
  readonly logger: Logger;
}

const connectTimeoutMs = 5_000;
const reconnectEveryMs = 500;
const openAgainMsMin = 500;
const openAgainMsMax = 5_000;
// The loss of a server that did not close the connection is detected after two of these.
const pingEveryMs = 10_000;
const flushTimeoutMs = 2_000;

/**
 * A connection to NATS. Connecting is retried until it succeeds; an established connection
 * reconnects without a limit.
 */
export class NatsLink {
  private readonly closing = new AbortController();
  private connection: NatsConnection | undefined;
  private isUp = false;
  private opening: Promise<void> = Promise.resolve();
  private lastProblem: string | undefined;

  /** `prepare` runs after connecting, and again until it succeeds. */
  constructor(
    private readonly options: NatsLinkOptions,
    private readonly prepare: () => Promise<void>,
  ) {}

  /** Resolves after the first attempt; further attempts run in the background. */
  async open(): Promise<void> {
    if (!(await this.tryOpen())) this.opening = this.openAgain();
  }

  /** Undefined while there is no connection. */
  current(): NatsConnection | undefined {
    const { connection } = this;
    return this.isUp && connection?.isClosed() === false ? connection : undefined;
  }

  /** Sends pending messages, then disconnects. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.opening;
    const current = this.current();
    if (current !== undefined) {
      // Acks are not confirmed: without this the last ones might be lost, and their messages
      // redelivered.
      const limit = new AbortController();
      await Promise.race([this.flush(current), sleep(flushTimeoutMs, limit.signal)]);
      limit.abort();
    }
    await this.connection?.close();
  }

  private async openAgain(): Promise<void> {
    let delayMs = openAgainMsMin;
    for (;;) {
      await sleep(delayMs * jitter(0.2), this.closing.signal);
      if (this.closing.signal.aborted || (await this.tryOpen())) return;
      delayMs = Math.min(delayMs * 2, openAgainMsMax);
    }
  }

  private async tryOpen(): Promise<boolean> {
    try {
      this.connection ??= await this.connect();
      await this.prepare();
    } catch (error) {
      this.reportProblem(error as Error);
      return false;
    }
    if (this.lastProblem !== undefined) this.options.logger.info('stream connected');
    return true;
  }

  private async connect(): Promise<NatsConnection> {
    const connection = await openConnection(this.options);
    this.isUp = true;
    void this.watch(connection);
    return connection;
  }

  // An outage of hours is logged once, not for each attempt.
  private reportProblem(error: Error): void {
    if (error.message === this.lastProblem) return;
    this.lastProblem = error.message;
    this.options.logger.error({ err: error }, 'stream connection failed, retrying');
  }

  private async flush(connection: NatsConnection): Promise<void> {
    try {
      await connection.flush();
    } catch (error) {
      this.options.logger.warn({ err: error }, 'stream flush failed, disconnected');
    }
  }

  private async watch(connection: NatsConnection): Promise<void> {
    const { logger } = this.options;
    for await (const { type, data } of connection.status()) {
      if (type === Events.Disconnect) {
        this.isUp = false;
        logger.warn({ server: data }, 'stream disconnected');
      } else if (type === Events.Reconnect) {
        this.isUp = true;
        logger.info({ server: data }, 'stream reconnected');
      } else if (type === Events.Error) {
        logger.warn({ problem: data }, 'stream connection error');
      }
    }
  }
}

async function openConnection({
  url,
  authority,
  credentials,
  service,
}: NatsLinkOptions): Promise<NatsConnection> {
  try {
    return await connect({
      ...natsAddress(url),
      ...(authority !== undefined && { tls: { ca: authority } }),
      ...(credentials !== undefined && {
        authenticator: credsAuthenticator(Buffer.from(credentials)),
      }),
      name: `billing-${service}`,
      timeout: connectTimeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectEveryMs,
      reconnectJitter: reconnectEveryMs,
      // A server may refuse the client while its own configuration is changed; without retries a
      // restart would be needed.
      ignoreAuthErrorAbort: true,
      pingInterval: pingEveryMs,
      // Recording the origin of each request costs more than the request.
      noAsyncTraces: true,
    });
  } catch (error) {
    throw unreachable('NATS', error);
  }
}

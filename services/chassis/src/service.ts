import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Db } from 'mongodb';
import { openActivity } from './activity';
import type { AggregateDefinition } from './aggregate';
import { AggregateCollection } from './aggregate-collection';
import { type Clock, sleep, systemClock } from './clock';
import type { ServiceConfiguration } from './configuration';
import {
  createPoisonStore,
  type RunningConsumer,
  startConsumer,
  type StreamMessage,
} from './consumer';
import { observeBacklogs, readOutboxAges } from './backlog';
import { DueWork, dueWorkRpc } from './due-work';
import { ensureEventLogIndexes, eventLogRpc, openEventLog } from './event-log';
import { openFailpoints } from './failpoint';
import { type GrpcServer, listen } from './grpc-server';
import { ensureIdempotencyIndexes, forgetOldRecords, openIdempotencyRecords } from './idempotency';
import { jitter } from './ids';
import { InFlightLimit } from './in-flight-limit';
import { connectStream, type EventStream } from './jet-stream';
import { createLogger, type Logger } from './logging';
import { Metrics } from './metrics';
import { connectMongo } from './mongo';
import { connectPeer, type Peer, type PeerOptions } from './peer';
import { listenForProbes } from './probe-server';
import { Closers } from './process';
import { Relay } from './relay';
import type { RpcService, RpcSurroundings } from './rpc';
import { systemRpc } from './system-status';
import { startTracing } from './tracing';
import { transportSecurityOf } from './transport-security';

/** What a test or the local stack may replace. */
export interface ServiceOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A started service. */
export interface RunningService {
  /** What a client dials. */
  readonly address: string;
  /** Not serving, then running calls and work are finished, then everything is closed. */
  stop(): Promise<void>;
}

/** Work that a service repeats in real time, e.g. reading event logs. */
export interface PeriodicWork {
  readonly name: string;
  readonly everyMs: number;
  /** Stops early when the signal aborts. Failures are logged and the work comes round again. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

type AnyCollection = AggregateCollection<never>;
type BoundRpc = (surroundings: RpcSurroundings) => RpcService;

const healthCheckEveryMs = 5_000;
// Half of what a peer takes at a time where nothing else is said: its other callers find room beside this one.
const peerCallsMax = 128;
const forgetKeysEveryMs = 10 * 60_000;

/**
 * Everything a service process is made of: database, stream, peers, aggregates with relay and scanner, gRPC server with health. A
 * service opens one, adds its aggregates, peers and work, and ends with serve().
 */
export class Service {
  private readonly closers = new Closers();
  private readonly collections: AnyCollection[] = [];
  private readonly indexers: (() => Promise<void>)[] = [];
  private readonly starters: (() => Promise<void>)[] = [];
  private readonly consumers: RunningConsumer[] = [];
  private server: GrpcServer | undefined;

  private constructor(
    readonly name: string,
    readonly configuration: ServiceConfiguration,
    readonly clock: Clock,
    readonly logger: Logger,
    private readonly mongo: Awaited<ReturnType<typeof connectMongo>>,
    readonly stream: EventStream,
    readonly metrics: Metrics,
  ) {}

  /** Connects to what the service needs; nothing is served yet. */
  static async open(
    name: string,
    configuration: ServiceConfiguration,
    overrides: ServiceOverrides = {},
  ): Promise<Service> {
    const { LOG_LEVEL: level, LOG_FILE: file, STREAM_NAME: streamName } = configuration;
    const logger = overrides.logger ?? createLogger({ service: name, level, file });
    openFailpoints(name, configuration.FAILPOINTS_FOLDER);
    const tracing = startTracing({
      otlpEndpoint: configuration.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampleRatio: configuration.TRACE_SAMPLE_RATIO,
    });
    const mongo = await connectMongo({
      uri: configuration.MONGODB_URI,
      database: configuration.MONGODB_DATABASE,
      authority: configuration.MONGODB_TLS_CA,
      service: name,
    });
    const stream = await connectStream({
      url: configuration.NATS_URL,
      authority: configuration.NATS_TLS_CA,
      credentials: configuration.NATS_CREDENTIALS,
      streamName,
      service: name,
      logger,
    }).catch(async (error: unknown) => {
      await mongo.close();
      await tracing.shutdown();
      throw error;
    });
    const clock = overrides.clock ?? systemClock;
    const metrics = new Metrics({
      service: name,
      logger,
      otlpEndpoint: configuration.OTEL_EXPORTER_OTLP_ENDPOINT,
      exportEveryMs: configuration.METRIC_EXPORT_INTERVAL_MS,
    });
    const service = new Service(name, configuration, clock, logger, mongo, stream, metrics);
    service.onClose('tracing', () => tracing.shutdown());
    service.onClose('database', () => mongo.close());
    service.onClose('stream', () => stream.close());
    // Before the database: a last export reads from it.
    service.onClose('metrics', () => metrics.shutdown());
    return service;
  }

  /** The service's own database, for stores that are no aggregates. */
  get db(): Db {
    return this.mongo.db;
  }

  /** Adds a kind of aggregate. */
  aggregates<S extends { readonly id: string }>(
    definition: AggregateDefinition<S>,
  ): AggregateCollection<S> {
    const collection = new AggregateCollection(this.db, definition, {
      clock: this.clock,
      activity: openActivity(this.db),
    });
    this.collections.push(collection as unknown as AnyCollection);
    this.indexers.push(() => collection.ensureIndexes());
    return collection;
  }

  /** Connects to another service. */
  peer<S extends UntypedServiceImplementation>(
    definition: ServiceDefinition,
    options: Omit<PeerOptions<S>, 'service' | 'security'>,
  ): Peer<S> {
    const security = transportSecurityOf(this.configuration, this.logger);
    const peer = connectPeer<S>(definition, {
      callsMax: peerCallsMax,
      ...options,
      service: this.name,
      security,
    });
    this.onClose(`peer ${options.address}`, () => {
      peer.close();
      return Promise.resolve();
    });
    return peer;
  }

  /** Creates indexes of a store that is no aggregate, before anything is served. */
  ensureIndexes(ensure: () => Promise<void>): void {
    this.indexers.push(ensure);
  }

  /** Reads events of other services, at least once, those of one aggregate in order. */
  consume(options: {
    durable: string;
    filterSubjects: string[];
    handle: (message: StreamMessage) => Promise<void>;
    concurrency?: number;
  }): void {
    this.starters.push(async () => {
      const consumer = await startConsumer({
        ...options,
        stream: this.stream,
        poison: createPoisonStore(this.db, this.clock),
        logger: this.logger,
        metrics: this.metrics,
        service: this.name,
      });
      this.consumers.push(consumer);
      this.onClose(`consumer ${options.durable}`, () => consumer.stop());
    });
  }

  /** Repeats work in real time until the service stops; the first run starts at once. */
  every(work: PeriodicWork): void {
    this.starters.push(() => {
      this.begin(work);
      return Promise.resolve();
    });
  }

  /** Registers what is closed when the service stops; the last one added is closed first. */
  onClose(name: string, close: () => Promise<void>): void {
    this.closers.add(name, close);
  }

  /** Creates indexes, starts all work and serves. Closes everything again if it fails. */
  async serve(rpcs: readonly BoundRpc[]): Promise<RunningService> {
    try {
      return await this.startServing(rpcs);
    } catch (error) {
      await this.closers.closeAll();
      throw error;
    }
  }

  private async startServing(rpcs: readonly BoundRpc[]): Promise<RunningService> {
    const { name, clock, logger, stream, metrics } = this;
    const { DRAIN_DELAY_MS: drainDelayMs, SHUTDOWN_GRACE_MS: graceMs } = this.configuration;
    metrics.observeReadiness(() => this.isServing);
    await this.answerProbes();
    const eventLog = openEventLog(this.db);
    const activity = openActivity(this.db);
    const idempotencyRecords = openIdempotencyRecords(this.db);
    await ensureEventLogIndexes(eventLog);
    await ensureIdempotencyIndexes(idempotencyRecords);
    this.every({
      name: 'forget idempotency keys',
      everyMs: forgetKeysEveryMs,
      run: () => forgetOldRecords(idempotencyRecords, clock.now()),
    });
    for (const ensure of this.indexers) await ensure();

    const relay = new Relay(this.collections, {
      service: name,
      clock,
      logger,
      eventLog,
      stream,
      graceMs,
    });
    relay.start();
    this.onClose('relay', () => relay.stop());
    const dueWork = new DueWork(this.collections, {
      service: name,
      clock,
      logger,
      activity,
      graceMs,
    });
    dueWork.start();
    this.onClose('due work', () => dueWork.stop());
    for (const start of this.starters) await start();

    observeBacklogs(metrics, this.collections, clock);
    const bound = [
      ...rpcs,
      eventLogRpc(eventLog),
      dueWorkRpc(this.collections, dueWork, activity),
      this.statusRpc(),
    ];
    const inFlightLimit = new InFlightLimit(this.configuration.GRPC_IN_FLIGHT_MAX);
    const surroundings = { service: name, clock, logger, metrics, inFlightLimit };
    const server = await listen(
      this.configuration.GRPC_LISTEN,
      bound.map((bind) => bind({ ...surroundings, idempotencyRecords })),
      {
        security: transportSecurityOf(this.configuration, logger),
        reflection: this.configuration.GRPC_REFLECTION,
        connectionAgeMs: this.configuration.GRPC_CONNECTION_AGE_MS,
      },
    );
    this.server = server;
    this.onClose('server', () => server.stop({ drainDelayMs, graceMs }));
    await this.watchHealth(server);
    logger.info({ address: server.address }, 'serving');
    return { address: server.address, stop: () => this.closers.closeAll() };
  }

  /** From before the first index is made, which may take minutes, until everything else is closed. */
  private async answerProbes(): Promise<void> {
    const { HEALTH_LISTEN: address } = this.configuration;
    if (address === undefined) return;
    const probes = await listenForProbes(address, () => this.isServing);
    this.onClose('probes', () => probes.stop());
  }

  private get isServing(): boolean {
    return this.server?.isServing === true;
  }

  /** How this process is, for people. */
  private statusRpc(): BoundRpc {
    const { name, clock, configuration, stream } = this;
    return systemRpc({
      service: name,
      version: configuration.SERVICE_VERSION,
      startedAt: clock.now(),
      isStreamConnected: () => stream.isConnected(),
      isDatabaseUp: () => this.isDatabaseUp(),
      outboxAges: async () => {
        const ages = await readOutboxAges(this.collections, clock);
        return ages.map(({ value }) => value);
      },
      streamLags: () => Promise.all(this.consumers.map((consumer) => consumer.lag())),
    });
  }

  /** Readiness follows the database and the stream. */
  private async watchHealth(server: GrpcServer): Promise<void> {
    const check = async () => {
      server.setServing(this.stream.isConnected() && (await this.isDatabaseUp()));
    };
    await check();
    this.begin({ name: 'health', everyMs: healthCheckEveryMs, run: check });
  }

  private async isDatabaseUp(): Promise<boolean> {
    try {
      await this.mongo.ping();
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'database does not answer');
      return false;
    }
  }

  private begin(work: PeriodicWork): void {
    const stopping = new AbortController();
    const running = this.repeat(work, stopping.signal);
    this.onClose(work.name, () => {
      stopping.abort();
      return running;
    });
  }

  private async repeat({ name, everyMs, run }: PeriodicWork, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        this.logger.warn({ err: error, work: name }, 'periodic work failed, will repeat');
      }
      await sleep(everyMs * jitter(0.1), signal);
    }
  }
}

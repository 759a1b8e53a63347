import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Db } from 'mongodb';
import type { AggregateDefinition } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import { type Clock, systemClock } from '../clock';
import type { ServiceConfiguration } from './configuration';
import { clockComparison } from './clock-comparison';
import { DatabaseHealth } from '../mongo/database-health';
import { type RunningConsumer, startConsumer, type StreamMessage } from '../stream/consumer';
import { PoisonMessages } from '../stream/poison-messages';
import { observeBacklogs, readOutboxAges } from './backlog';
import { type DueWork, dueWorkRpc } from '../due-work/due-work';
import { startDocumentWork, type WorkGates } from './document-work';
import {
  deletionWork,
  ensureEnvironmentIndexes,
  EnvironmentDeletion,
  type EnvironmentDeletionOptions,
} from './environment-deletion';
import { eventLogRpc } from '../outbox/event-log';
import { openFailpoints } from '../failpoint';
import { type GrpcServer, listen } from '../grpc/grpc-server';
import type { IdempotencyRecords } from '../grpc/idempotency';
import { InFlightLimit } from '../concurrency/semaphore';
import { connectStream, type EventStream } from '../stream/jet-stream';
import { createLogger, type Logger } from '../telemetry/logging';
import { Metrics } from '../telemetry/metrics';
import {
  observeBackup,
  observeCertificate,
  observeMissingIndexes,
} from '../telemetry/observe-machine';
import { type WantedIndexes, untilIndexed } from '../mongo/missing-indexes';
import { connectMongo } from '../mongo/mongo';
import { connectPeer, type Peer, type PeerOptions } from '../grpc/peer';
import { ensureAll, openOwnStores, wantedIndexes } from './own-stores';
import { PeriodicRuns, type PeriodicWork } from './periodic-work';
import { type Retention, retentionWork } from './retention';
import { listenForProbes, type Readiness } from './probe-server';
import { Closers } from './process';
import { Replicas } from '../replicas/replicas';
import type { RecoveryWork } from '../recovery/recovery';
import { recoveryWork } from './recovery-runner';
import { replicaHealthWork } from './replica-health';
import { replicaWork } from './replica-work';
import type { RpcService, RpcDependencies } from '../grpc/rpc';
import { StuckCommands } from '../outbox/stuck-commands';
import { scheduleRevisionWork } from './schedule-revision';
import { searchIndexingWork } from './search-indexing';
import { SystemStore } from '../replicas/system-store';
import { systemRpc } from './system-status';
import { checkFingerprints, type DataSecret } from './secret-fingerprints';
import { startTracing } from '../telemetry/tracing';
import { watchStorage } from './watch-storage';
import { transportSecurityOf } from '../grpc/transport-security';

/** Replacements for tests and the local stack. */
export interface ServiceOverrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Builds missing indexes on collections of any size, and serves nothing. */
  readonly buildsIndexes?: (line: string) => void;
}

export interface RunningService {
  /** Address for clients. */
  readonly address: string;
  /** Reports not serving, then finishes running calls and work, then closes everything. */
  stop(): Promise<void>;
}

type AnyCollection = AggregateCollection<never>;
/** Conditions that pause work and refuse calls. */
type BoundRpc = (dependencies: RpcDependencies) => RpcService;

const healthCheckEveryMs = 1_500;
// Half of a peer's default limit, so that its other callers find room.
const peerCallsMax = 128;

/**
 * Components of a service process: database, stream, peers, aggregates with relay and scanner, gRPC
 * server with health. A service opens one, adds its aggregates, peers and work, and then calls
 * serve().
 */
export class Service {
  private readonly closers = new Closers();
  private readonly collections: AnyCollection[] = [];
  private readonly indexers: (() => Promise<void>)[] = [];
  private readonly starters: (() => Promise<void> | void)[] = [];
  private readonly consumers: RunningConsumer[] = [];
  readonly indexes: WantedIndexes;
  /** Share of this replica in work that replicas divide. */
  readonly slices: Replicas;
  private readonly database: DatabaseHealth;
  private readonly periodic: PeriodicRuns;
  private server: GrpcServer | undefined;
  private isStorageFull = () => false;
  private settle = (_environmentId: string): Promise<number> => Promise.resolve(0);
  private recovery: RecoveryWork = {};
  private deletionOptions: Pick<EnvironmentDeletionOptions, 'keeps' | 'last'> = {};
  private buildsIndexes: ServiceOverrides['buildsIndexes'];
  private environmentDeletion: EnvironmentDeletion | undefined;

  private constructor(
    readonly name: string,
    readonly configuration: ServiceConfiguration,
    readonly clock: Clock,
    readonly logger: Logger,
    private readonly mongo: Awaited<ReturnType<typeof connectMongo>>,
    readonly stream: EventStream,
    readonly metrics: Metrics,
  ) {
    this.database = new DatabaseHealth(() => mongo.ping(), logger);
    const { SERVICE_VERSION: release } = configuration;
    this.slices = new Replicas(mongo.db, { clock, logger, release });
    this.indexes = wantedIndexes(mongo.db, release);
    this.periodic = new PeriodicRuns({
      logger,
      slices: this.slices,
      isStorageFull: () => this.isStorageFull(),
      isClosed: () => this.slices.system.isClosed,
      onClose: (work, close) => {
        this.onClose(work, close);
      },
    });
  }

  /** Connects to the database and, if it is available, to the stream. Does not serve yet. */
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
      ...(overrides.buildsIndexes !== undefined && { socketTimeoutMs: 0 }),
    });
    const stream = await connectStream({
      url: configuration.NATS_URL,
      authority: configuration.NATS_TLS_CA,
      credentials: configuration.NATS_CREDENTIALS,
      streamName,
      replicas: configuration.STREAM_REPLICAS,
      maxBytes: configuration.STREAM_MAX_BYTES,
      service: name,
      logger,
    });
    const clock = overrides.clock ?? systemClock;
    const metrics = new Metrics({
      service: name,
      logger,
      otlpEndpoint: configuration.OTEL_EXPORTER_OTLP_ENDPOINT,
      exportEveryMs: configuration.METRIC_EXPORT_INTERVAL_MS,
    });
    const service = new Service(name, configuration, clock, logger, mongo, stream, metrics);
    service.buildsIndexes = overrides.buildsIndexes;
    service.onClose('tracing', () => tracing.shutdown());
    service.onClose('database', () => mongo.close());
    service.onClose('stream', () => stream.close());
    // Before the database, because a last export reads from it.
    service.onClose('metrics', () => metrics.shutdown());
    return service;
  }

  /** The service's own database, for stores without aggregates. */
  get db(): Db {
    return this.mongo.db;
  }

  /** Deletion of environments from this service. Options must be set before its first use. */
  get deletion(): EnvironmentDeletion {
    const { clock, logger, slices } = this;
    this.environmentDeletion ??= new EnvironmentDeletion(this.db, {
      ...{ clock, logger, slices },
      ...this.deletionOptions,
    });
    return this.environmentDeletion;
  }

  /**
   * Sets exceptions for the deletion of environments. Called at most once, before anything else.
   */
  deleteEnvironments(options: Pick<EnvironmentDeletionOptions, 'keeps' | 'last'>): void {
    this.deletionOptions = options;
  }

  /**
   * Registers how the service processes what others have announced for an environment. Called at
   * the end of a clock advance; returns the number of events that are left.
   */
  settleBy(settle: (environmentId: string) => Promise<number>): void {
    this.settle = settle;
  }

  /** Registers what the service does in the steps after a restore. */
  recoverBy(work: RecoveryWork): void {
    this.recovery = work;
  }

  /** Adds a kind of aggregate. */
  aggregates<S extends { readonly id: string }>(
    definition: AggregateDefinition<S>,
  ): AggregateCollection<S> {
    const { clock } = this;
    const restoreCode = () => this.slices.system.restoreCode;
    const collection = new AggregateCollection(this.db, definition, { clock, restoreCode });
    this.collections.push(collection as unknown as AnyCollection);
    this.indexers.push(() => collection.ensureIndexes());
    if (definition.search !== undefined) this.every(searchIndexingWork(this, collection));
    if (definition.scheduleRevision !== undefined) {
      this.every(scheduleRevisionWork(this, collection));
    }
    return collection;
  }

  /** Connects to another service. */
  peer<S extends UntypedServiceImplementation>(
    definition: ServiceDefinition,
    options: Omit<PeerOptions<S>, 'service' | 'fromService' | 'security'>,
  ): Peer<S> {
    const security = transportSecurityOf(this.configuration, this.logger);
    const peer = connectPeer<S>(definition, {
      callsMax: peerCallsMax,
      ...options,
      service: this.name,
      fromService: true,
      security,
    });
    this.onClose(`peer ${options.address}`, () => {
      peer.close();
      return Promise.resolve();
    });
    return peer;
  }

  /** Refuses to serve if the database was written with other secrets; see checkFingerprints. */
  dependOnSecrets(secrets: readonly DataSecret[]): void {
    this.indexers.unshift(() => checkFingerprints(this.db, secrets, this.metrics));
  }

  /**
   * Registers a check of stored data that runs before anything is served. A rejection aborts the
   * start.
   */
  checkBeforeServing(check: () => Promise<void>): void {
    this.indexers.push(check);
  }

  /** Registers indexes of a store without aggregates, created before anything is served. */
  ensureIndexes(ensure: () => Promise<void>): void {
    this.indexers.push(ensure);
  }

  /** Consumes events of other services: each at least once, those of one aggregate in order. */
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
        poison: new PoisonMessages(this.db, this.clock),
        logger: this.logger,
        metrics: this.metrics,
        service: this.name,
        system: this.slices.system,
      });
      this.consumers.push(consumer);
      this.onClose(`consumer ${options.durable}`, () => consumer.stop());
    });
  }

  /**
   * Runs work periodically in real time until the service stops; the first run starts immediately.
   */
  every(work: PeriodicWork): void {
    this.starters.push(() => {
      this.periodic.start(work);
    });
  }

  /** Deletes old documents periodically. */
  retain(retention: Retention): void {
    this.every(retentionWork(retention, this.clock));
  }

  /**
   * Registers a resource to close when the service stops. Resources are closed in the reverse
   * order.
   */
  onClose(name: string, close: () => Promise<void>): void {
    this.closers.add(name, close);
  }

  /**
   * Registers a resource that is closed before relay and due work, whose end waits for their
   * handlers: what lets the handlers end.
   */
  onCloseBeforeWork(name: string, close: () => Promise<void>): void {
    this.starters.push(() => {
      this.onClose(name, close);
    });
  }

  /** Creates indexes, starts all work and serves. Closes everything again after a failure. */
  async serve(rpcs: readonly BoundRpc[]): Promise<RunningService> {
    try {
      if (this.buildsIndexes !== undefined) return await this.buildIndexes(this.buildsIndexes);
      return await this.startServing(rpcs);
    } catch (error) {
      await this.closers.closeAll();
      throw error;
    }
  }

  private async buildIndexes(report: (line: string) => void): Promise<RunningService> {
    await ensureAll([() => openOwnStores(this), ...this.indexers], this, report);
    return { address: '', stop: () => this.closers.closeAll() };
  }

  private async startServing(rpcs: readonly BoundRpc[]): Promise<RunningService> {
    const { clock, logger, stream, metrics } = this;
    metrics.observeReadiness(() => this.isServing);
    const isStorageFull = await watchStorage(this, this.periodic);
    this.isStorageFull = isStorageFull;
    metrics.observeStream(() => stream.state());
    this.every(clockComparison(() => this.mongo.time(), this));
    observeMissingIndexes(metrics, this.indexes);
    observeCertificate(metrics, this.configuration, clock);
    observeBackup(metrics, new SystemStore(this.db), clock);
    await this.answerProbes();
    // Before anything is written; again once the replica is registered.
    await this.slices.system.check();
    const stores = await untilIndexed(() => openOwnStores(this), this);
    const { eventLog, eventMarks, activity, idempotencyRecords } = stores;
    const stuckCommands = new StuckCommands(this.db, this.collections, {
      clock,
      logger,
      runNow: (collection, id) => {
        relay.runNow(collection, id);
      },
    });
    await stuckCommands.ensureIndexes();
    for (const ensure of this.indexers) await untilIndexed(ensure, this);
    await this.startDeletion();
    await this.indexes.record([...this.indexes.names]);
    // After the indexes, which may take minutes: a replica that has joined owns slices.
    await this.joinReplicas();
    const gates: WorkGates = {
      isStorageFull,
      system: this.slices.system,
      isDeleted: (environmentId) => this.deletion.isDeleted(environmentId),
    };
    const workStores = { eventLog, activity, stuckCommands };
    const { relay, dueWork } = startDocumentWork(this, this.collections, workStores, gates);
    for (const start of this.starters) await start();
    this.startRecovery(dueWork);

    observeBacklogs(metrics, this.collections, clock);
    const bound = [
      ...rpcs,
      eventLogRpc(eventLog, eventMarks),
      dueWorkRpc(this.collections, dueWork, activity, (id) => this.settle(id)),
      this.statusRpc(stuckCommands),
    ];
    const server = await this.listen(bound, { idempotencyRecords, ...gates });
    await this.watchHealth(server);
    logger.info({ address: server.address }, 'serving');
    return { address: server.address, stop: () => this.closers.closeAll() };
  }

  private async joinReplicas(): Promise<void> {
    const { slices, database } = this;
    this.onClose('replica', () => slices.stop());
    this.periodic.start(replicaHealthWork(this));
    await slices.start();
    this.periodic.start(replicaWork(slices, database));
  }

  /** Last, so that all that the steps need has started. */
  private startRecovery(dueWork: DueWork): void {
    const { slices, stream, clock, logger, recovery: work, collections } = this;
    const replica = () => slices.id;
    const run = { system: slices.system, replica, stream, work, clock, logger };
    this.periodic.start(recoveryWork({ ...run, dueWork, collections }));
  }

  private async listen(
    rpcs: readonly BoundRpc[],
    dependencies: WorkGates & { readonly idempotencyRecords: IdempotencyRecords },
  ): Promise<GrpcServer> {
    const { name, clock, logger, metrics, configuration } = this;
    const { DRAIN_DELAY_MS: drainDelayMs, SHUTDOWN_GRACE_MS: graceMs } = configuration;
    const inFlightLimit = new InFlightLimit(configuration.GRPC_IN_FLIGHT_MAX);
    const security = transportSecurityOf(configuration, logger);
    const shared = { service: name, clock, logger, metrics, inFlightLimit, ...dependencies };
    const server = await listen(
      configuration.GRPC_LISTEN,
      rpcs.map((bind) => bind({ ...shared, checksCallers: security !== undefined })),
      {
        security,
        reflection: configuration.GRPC_REFLECTION,
        connectionAgeMs: configuration.GRPC_CONNECTION_AGE_MS,
      },
    );
    this.server = server;
    this.onClose('server', () => server.stop({ drainDelayMs, graceMs }));
    // Closed before the server: a deletion would take longer than the time that a stop gives calls.
    this.onClose('deletions', () => {
      this.deletion.stop();
      return Promise.resolve();
    });
    return server;
  }

  private async startDeletion(): Promise<void> {
    const { deletion } = this;
    await deletion.ensureIndexes();
    await untilIndexed(() => ensureEnvironmentIndexes(this.db), this);
    await deletion.refresh();
    for (const work of deletionWork(deletion)) this.every(work);
  }

  /**
   * Answers probes from before the first index is built, which may take minutes, until everything
   * else is closed.
   */
  private async answerProbes(): Promise<void> {
    const { HEALTH_LISTEN: address } = this.configuration;
    if (address === undefined) return;
    const probes = await listenForProbes(address, () => this.readiness());
    this.onClose('probes', () => probes.stop());
  }

  private get isServing(): boolean {
    return this.server?.isServing === true;
  }

  private async readiness(): Promise<Readiness> {
    const isDatabaseUp = await this.database.isUp();
    return {
      isReady: this.isServing && isDatabaseUp,
      facts: {
        database: isDatabaseUp ? 'up' : 'down',
        stream: this.stream.isConnected() ? 'up' : 'down',
      },
    };
  }

  /** Serves the status of this process to people. */
  private statusRpc(stuckCommands: StuckCommands): BoundRpc {
    const { name, clock, configuration, stream } = this;
    return systemRpc({
      service: name,
      version: configuration.SERVICE_VERSION,
      startedAt: clock.now(),
      streamState: () => stream.state(),
      isDatabaseUp: () => this.database.isUp(),
      deleteEnvironment: (environmentId, limits) => this.deletion.delete(environmentId, limits),
      outboxAges: async () => {
        const ages = await readOutboxAges(this.collections, clock);
        return ages.map(({ value }) => value);
      },
      streamLags: () => Promise.all(this.consumers.map((consumer) => consumer.lag())),
      ...{ replicas: this.slices, diskFolder: configuration.DISK_RESERVE_FOLDER },
      stuckCommands,
    });
  }

  /**
   * Readiness follows only the database: no request needs the stream, and without it events are
   * read from the logs.
   */
  private async watchHealth(server: GrpcServer): Promise<void> {
    const run = async () => {
      server.setServing(await this.database.isUp(), this.slices.system.recovering === undefined);
    };
    await run();
    this.periodic.start({ name: 'health', everyMs: healthCheckEveryMs, run, writes: 'nothing' });
  }
}

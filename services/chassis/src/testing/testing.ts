import { observeBacklogs } from '../service/backlog';
import { listen } from '../grpc/grpc-server';
import type { RpcService } from '../grpc/rpc';
import type { Metrics } from '../telemetry/metrics';
import {
  Metadata,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { connect, NatsError } from 'nats';
import { z } from 'zod';
import { type CallContext, everyScope, type Tenant } from '../grpc/call-context';
import { monotonicMs, sleep, systemClock } from '../clock';
import {
  processEnvironment,
  readConfiguration,
  type ServiceConfiguration,
  serviceConfigurationShape,
} from '../service/configuration';
import { fromServiceError } from '../grpc/grpc-status';
import { newId, randomSecret } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { natsAddress } from '../stream/nats-address';
import { connectPeer, type Peer } from '../grpc/peer';
import type { RunningService } from '../service/service';

// Shared helpers of integration tests. Jest loads this module once per test file, so each file has
// its own databases and stream. Services of one file share the stream, as they do in production.
const run = randomSecret(6).toString('hex');

// Many tests make all of their calls with one context, and wait with `eventually` in between. Still
// shorter than jest's limit for a test: a hanging call fails with a reason.
const callDeadlineMs = 120_000;

/**
 * Creates a configuration for one service under test: a database of its own, a free port on
 * loopback, no log. MONGODB_URI and NATS_URL come from the environment; jest's global setup has
 * started both.
 */
export function testServiceConfiguration<Extra extends object = object>(
  service: string,
  extra?: Extra,
): ServiceConfiguration & Extra {
  const configuration = readConfiguration(z.object(serviceConfigurationShape), {
    ...processEnvironment(),
    MONGODB_DATABASE: `t_${run}_${service}`,
    STREAM_NAME: `T_${run}`,
    // One server reserves the space of all tests' streams.
    STREAM_MAX_BYTES: '8000000',
    GRPC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
  });
  return { ...configuration, ...extra } as ServiceConfiguration & Extra;
}

/** Creates a tenant that no other test has: a sandbox on real time by default. */
export function testTenant(tenant: Partial<Tenant> = {}): Tenant {
  return {
    organizationId: newId(),
    environmentId: newId(),
    live: false,
    manualClock: false,
    ...tenant,
  };
}

/**
 * Creates the context of calls, by default of a tenant that no other test has. A `now` is sent
 * to services only under a manual clock, so setting it makes the clock manual. The deadline counts
 * from here: a test that expects something of it sets `deadlineMs`.
 */
export function testContext({
  tenant,
  now,
  deadlineMs = callDeadlineMs,
}: {
  tenant?: Partial<Tenant>;
  now?: Date;
  deadlineMs?: number;
} = {}): CallContext {
  return {
    tenant: testTenant({ manualClock: now !== undefined, ...tenant }),
    now: now ?? systemClock.now(),
    scopes: [everyScope],
    requestId: newId(),
    deadline: new Date(systemClock.now().getTime() + deadlineMs),
    signal: new AbortController().signal,
  };
}

/**
 * Deletes all documents between tests. A database that is dropped and made again at once may still
 * be seen as before by other connections of FerretDB.
 */
export async function emptyTestDatabase({ db }: MongoConnection): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  await Promise.all(collections.map(({ name }) => db.collection(name).deleteMany({})));
}

/** Drops the databases of services that have stopped. */
export async function dropTestDatabase(
  ...configurations: readonly Pick<ServiceConfiguration, 'MONGODB_URI' | 'MONGODB_DATABASE'>[]
): Promise<void> {
  for (const { MONGODB_URI: uri, MONGODB_DATABASE: database } of configurations) {
    const mongo = await connectMongo({ uri, database, service: 'testing' });
    try {
      await mongo.db.dropDatabase();
    } finally {
      await mongo.close();
    }
  }
}

/** Deletes the test file's stream, after the last service that uses it has stopped. */
export async function dropTestStream({
  NATS_URL: url,
  STREAM_NAME: streamName,
}: Pick<ServiceConfiguration, 'NATS_URL' | 'STREAM_NAME'>): Promise<void> {
  const connection = await connect(natsAddress(url));
  try {
    const { streams } = await connection.jetstreamManager();
    await streams.delete(streamName);
  } catch (error) {
    // No service of the file has created it.
    if (!(error instanceof NatsError && error.api_error?.code === 404)) throw error;
  } finally {
    await connection.close();
  }
}

// Callers wait for a quarter of a second at most, and a poll costs as much as the work it awaits.
const pollMsMax = 250;

/**
 * Retries an assertion until it holds, and returns its result. After `timeoutMs` it fails with the
 * assertion's last failure. Pauses double from `everyMs` to `everyMsMax`, so that polling does not
 * slow down long operations. The default ends what hangs; a busy machine may need minutes.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  {
    timeoutMs = 180_000,
    everyMs = 25,
    everyMsMax = Math.max(4 * everyMs, pollMsMax),
  }: { timeoutMs?: number; everyMs?: number; everyMsMax?: number } = {},
): Promise<T> {
  const start = monotonicMs();
  let pauseMs = everyMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (monotonicMs() - start >= timeoutMs) throw error;
    }
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, everyMsMax);
  }
}

/** Returns the error of a call whose request or response exceeds the maximum message size. */
export function tooLarge(): Error {
  return failedCall(status.RESOURCE_EXHAUSTED, 'Received message larger than max');
}

/** Returns the error of a call that the peer does not know. */
export function unimplemented(): Error {
  return failedCall(status.UNIMPLEMENTED, 'The server does not implement it');
}

function failedCall(code: status, message: string): Error {
  const facts = { code, details: '', metadata: new Metadata() };
  return fromServiceError(Object.assign(new Error(message), facts));
}

/** A service under test: contract, configuration and start. */
export interface ServiceUnderTest<C extends ServiceConfiguration> {
  readonly definition: ServiceDefinition;
  readonly configuration: C;
  readonly start: (configuration: C) => Promise<RunningService>;
}

/**
 * Runs a service from before a file's first test until after its last, and returns a peer that
 * calls it.
 */
export function callService<
  S extends UntypedServiceImplementation,
  C extends ServiceConfiguration = ServiceConfiguration,
>(
  { definition, configuration, start }: ServiceUnderTest<C>,
  given: (peer: Peer<S>, service: RunningService) => void,
): void {
  let service: RunningService;
  let peer: Peer<S>;

  beforeAll(async () => {
    service = await start(configuration);
    peer = connectPeer<S>(definition, { address: service.address, service: 'test' });
    given(peer, service);
  });

  afterAll(async () => {
    peer.close();
    await service.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });
}

/** A gRPC server of a test. */
export type TestServer = Awaited<ReturnType<typeof listen>>;

/** Serves RPCs on a free port of this machine, in place of peers. */
export function serveInTest(services: readonly RpcService[]): Promise<TestServer> {
  return listen('127.0.0.1:0', services);
}

/** Uses every instrument once. */
export function measureAll(metrics: Metrics): void {
  metrics.observeReadiness(() => true);
  metrics.observeStream(async () => ({ isConnected: true, missingReplicas: 0 }));
  metrics.observeMissingEvents(async () => ({ live: 0, sandbox: 0 }));
  metrics.observeMails(async () => 0);
  metrics.observeClockSkew(() => 0);
  metrics.observeSettlements(() => 0);
  metrics.observeOpenCredits(async () => 0);
  metrics.observeWaitingInvoices(async () => 0);
  metrics.observe('usageEpochLag', async () => [{ value: 1, attributes: {} }]);
  metrics.observe('usageSlots', async () => [
    { value: 1, attributes: { 'billing.usage.slot.state': 'IDLE' } },
  ]);
  for (const name of [
    'usageParts',
    'usageGenerationsAhead',
    'usageFoldAge',
    'usageFoldSeries',
    'distinctWaiting',
    'diskFree',
    'certificateRemaining',
    'missingIndexes',
    'backupAge',
    'databasesWentBack',
    'unmatchedCharges',
  ] as const) {
    metrics.observe(name, async () => [{ value: 1, attributes: {} }]);
  }
  metrics.recordUsageEvents('ACCEPTED', 1);
  metrics.recordRawRead('CUT');
  metrics.recordIncompleteRead({ live: true });
  metrics.recordAuditedHour({ result: 'EQUAL', live: true });
  metrics.recordSettlement({ durationMs: 1 });
  metrics.recordFlush({ outcome: 'STORED', durationMs: 1 });
  metrics.recordDroppedCredits({ live: true });
  metrics.recordNotCharged({ reason: 'NO_PAYMENT_PROVIDER', live: true });
  metrics.recordProviderReport({ kind: 'REFUND', live: true });
  metrics.recordRenewal({ live: true });
  metrics.recordRenewalLag({ lagMs: 1, live: true });
  metrics.recordParkedSubscription({ reason: 'OPEN_INVOICES', live: true });
  metrics.recordPayment({ outcome: 'FAILED', live: true });
  metrics.recordWebhook({ lagMs: 1, live: true });
  metrics.recordPoisonMessage({ consumer: 'notifier', live: true });
  metrics.recordWrongSecrets(1);
  metrics.observeFindings({ count: 0, live: true });
  metrics.recordDroppedRequests(1);
  metrics.recordCall('/billing.catalog.v1.CatalogService/GetProduct', 'OK', 1);
  const answered = { method: 'GET', route: '/v1/products', status: 200, durationMs: 1 };
  metrics.recordRequest({ ...answered, live: true });
  // A kind of aggregate without documents: its observations have their attributes all the same.
  const nothing = {
    documents: { aggregate: () => ({ toArray: async () => [] }), countDocuments: async () => 0 },
    definition: { aggregate: 'nothing', dueAt: () => null, recoverAt: () => null },
  };
  observeBacklogs(metrics, [nothing] as never, systemClock);
  metrics.observe('activeRequests', async () => [{ value: 0, attributes: {} }]);
}

/** Number of rounds of a test by chance: all in the nightly run, and a sixth in others. */
export function roundsOf(count: number): number {
  return process.env.TEST_TIER === 'nightly' ? count : Math.ceil(count / 6);
}

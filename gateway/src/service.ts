import type { Express } from 'express';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { DataKeys } from '@billing/chassis/data-keys';
import { openFailpoints } from '@billing/chassis/failpoint';
import { servedTo } from '@billing/chassis/peer';
import { createLogger, type Logger } from '@billing/chassis/logging';
import { Metrics } from '@billing/chassis/metrics';
import { observeCertificate } from '@billing/chassis/observe-machine';
import { Closers } from '@billing/chassis/process';
import type { RunningService, ServiceOverrides } from '@billing/chassis/service';
import { startTracing } from '@billing/chassis/tracing';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import { pathSegments } from '@billing/proto/values/path-segments';
import { Admission } from './access/admission';
import { type AppDependencies, createApp } from './app';
import { Authentication } from './access/authentication';
import {
  type GatewayConfiguration,
  hstsMaxAgeSeconds,
  providerSettings,
  traceTrusted,
} from './config';
import { IdentityProvider } from './access/identity-provider';
import { OperatorAccess } from './access/operator-access';
import { HttpServer } from './http/server';
import {
  keylessPlaces,
  limitOfProcess,
  limitOfWaiting,
  limitOfExports,
  limitPerCaller,
} from './http/in-flight-limit';
import { LostCallRegistry } from './api/lost-call/lost-call-registry';
import { LostCalls } from './api/lost-call/lost-calls';
import { connectPeers, type Peers } from './peer/peers';
import { RateLimit } from './http/rate-limit';
import { RequestLog } from './http/request-log';
import { securityHeaders } from './http/security-headers';
import { ServedWatch } from './served-watch';
import { WorkQueue } from './http/work-queue';

type TrustProxy = (address: string, hop: number) => boolean;

// Calls that wait for a clock advance. Each holds a connection and a call to the identity service
// for up to ten minutes.
const waitingMax = 50;
const waitingPerEnvironmentMax = 5;
// Requests that wait for events, each for up to 20 s.
const pollingPerKeyMax = 20;
const pollingMax = 1_000;
// Each holds a page of rows in memory.
const exportsMax = 20;
const exportsPerEnvironmentMax = 2;
// Concurrent requests without a key, by kind. A provider's event has up to 1 MiB.
const providerEventsMax = 200;
const payersMax = 600;
const operatorsMax = 200;
// Limit per client address over all three kinds. An office or a mobile network shares an address.
const keylessPerAddressMax = 50;
// A probe must respond before its caller times out.
const readinessTimeoutMs = 1_000;
// Burst of refused keys: a misconfigured caller gets this many clear errors before it is limited.
const refusedKeysBurstSeconds = 10;
// The same number of seconds as the default of other requests.
const ingestBurstSeconds = 2;
// An office or a mobile network shares an address, and its users open pages concurrently.
const pagesBurstSeconds = 10;
// Orders of one office may come in a burst, but not all day.
const linkOrdersBurstMinutes = 3;

/** Starts the gateway; the address is a base URL. */
export async function start(
  config: GatewayConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const clock = overrides.clock ?? systemClock;
  const logger =
    overrides.logger ??
    createLogger({ service: 'gateway', level: config.LOG_LEVEL, file: config.LOG_FILE });
  openFailpoints('gateway', config.FAILPOINTS_FOLDER);
  const closers = new Closers();
  const metrics = startTelemetry(config, { logger, closers });
  const peers = openPeers(config, { logger, closers });
  const requestLog = new RequestLog({
    record: peers.requestLog.recordRequests,
    clock,
    logger,
    metrics,
  });
  // Closed after the server, whose last requests it still records.
  closers.add('request log', () => requestLog.close());
  const operatorAccess = new OperatorAccess({
    operators: peers.operator,
    clock,
    logger,
    siteUrl: config.HOSTED_PAGE_URL,
    segments: pathSegments,
  });
  const served = watchServed(config, { clock, logger, isDraining: () => server.isDraining });
  const app = createApp({
    clock,
    logger,
    metrics,
    requestLog,
    peers,
    admission: new Admission({
      authentication: new Authentication(peers.identity, clock),
      operatorAccess,
      clock,
      ...rateLimits(config),
    }),
    operatorAccess,
    ...providerSignIn(config, { clock, logger }),
    traceUrl: config.TRACE_URL,
    ...inFlightLimits(config),
    workQueue: new WorkQueue(),
    lostCalls: openLostCalls(peers, { clock, logger, closers }),
    pageRate: pageRate(config),
    linkOrderRate: linkOrderRate(config),
    trustedProxies: config.TRUSTED_PROXIES,
    traceTrusted: traceTrusted(config),
    served,
    version: config.SERVICE_VERSION,
    siteUrl: config.HOSTED_PAGE_URL,
    instanceId: config.INSTANCE_ID,
  });
  const server = httpServer(app, { config, logger });
  metrics.observeReadiness(async () => (await served.look()) === 'all');
  observeCertificate(metrics, config, clock);
  observeRequests(metrics, server);
  try {
    const address = await server.listen(config.HTTP_LISTEN);
    // Before the first request, which would wait for it.
    void served.look();
    const { DRAIN_DELAY_MS: drainDelayMs, SHUTDOWN_GRACE_MS: graceMs } = config;
    closers.add('server', () => server.stop({ drainDelayMs, graceMs }));
    logger.info({ address }, 'serving');
    return { address, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

type Places = Pick<
  AppDependencies,
  | 'keyedInFlight'
  | 'inFlightPerKey'
  | 'inFlightPerOrganization'
  | 'waiting'
  | 'waitingPerEnvironment'
  | 'polling'
  | 'pollingPerKey'
  | 'exports'
  | 'exportsPerEnvironment'
  | 'providerEventPlaces'
  | 'payerPlaces'
  | 'operatorPlaces'
>;

function inFlightLimits(config: GatewayConfiguration): Places {
  const perAddress = limitPerCaller(keylessPerAddressMax);
  return {
    keyedInFlight: limitOfProcess(config.HTTP_IN_FLIGHT_MAX),
    inFlightPerKey: limitPerCaller(config.HTTP_IN_FLIGHT_PER_KEY_MAX),
    inFlightPerOrganization: limitPerCaller(config.HTTP_IN_FLIGHT_PER_ORGANIZATION_MAX),
    waiting: limitOfWaiting(waitingMax),
    waitingPerEnvironment: limitOfWaiting(waitingPerEnvironmentMax),
    polling: limitOfProcess(pollingMax),
    pollingPerKey: limitPerCaller(pollingPerKeyMax),
    exports: limitOfExports(exportsMax),
    exportsPerEnvironment: limitOfExports(exportsPerEnvironmentMax),
    providerEventPlaces: keylessPlaces(providerEventsMax, perAddress),
    payerPlaces: keylessPlaces(payersMax, perAddress),
    operatorPlaces: keylessPlaces(operatorsMax, perAddress),
  };
}

function startTelemetry(
  config: GatewayConfiguration,
  { logger, closers }: { logger: Logger; closers: Closers },
): Metrics {
  const tracing = startTracing({
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampleRatio: config.TRACE_SAMPLE_RATIO,
  });
  closers.add('tracing', () => tracing.shutdown());
  const metrics = new Metrics({
    service: 'gateway',
    logger,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    exportEveryMs: config.METRIC_EXPORT_INTERVAL_MS,
  });
  closers.add('metrics', () => metrics.shutdown());
  return metrics;
}

function openPeers(
  config: GatewayConfiguration,
  { logger, closers }: { logger: Logger; closers: Closers },
): Peers {
  const peers = connectPeers(config, logger);
  closers.add('peers', () => {
    for (const peer of Object.values<{ close(): void }>({ ...peers })) peer.close();
    return Promise.resolve();
  });
  return peers;
}

function openLostCalls(
  { lostCall: calls }: Peers,
  { clock, logger, closers }: { clock: Clock; logger: Logger; closers: Closers },
): LostCalls {
  const registry = new LostCallRegistry({ calls, clock, logger });
  closers.add('lost calls', () => registry.close());
  return new LostCalls(registry, clock);
}

function observeRequests(metrics: Metrics, server: HttpServer): void {
  metrics.observe('activeRequests', () =>
    Promise.resolve([{ value: server.activeRequests, attributes: {} }]),
  );
}

function providerSignIn(
  config: GatewayConfiguration,
  dependencies: { clock: Clock; logger: Logger },
): Pick<AppDependencies, 'identityProvider' | 'dataKeys'> {
  const settings = providerSettings(config);
  if (settings === undefined) return {};
  const { DATA_KEYS: keys } = config;
  return {
    identityProvider: new IdentityProvider(settings, dependencies),
    dataKeys: keys === undefined ? undefined : new DataKeys(keys),
  };
}

function httpServer(
  app: Express,
  { config, logger }: { config: GatewayConfiguration; logger: Logger },
): HttpServer {
  return new HttpServer({
    app,
    logger,
    limits: {
      headersMs: config.HTTP_HEADERS_TIMEOUT_MS,
      requestMs: config.HTTP_REQUEST_TIMEOUT_MS,
      connectionsMax: config.HTTP_CONNECTIONS_MAX,
      idlePerNetworkMax: config.HTTP_IDLE_CONNECTIONS_PER_NETWORK_MAX,
    },
    // The same rule by which Express trusts X-Forwarded-For.
    isProxy: (address) => (app.get('trust proxy fn') as TrustProxy)(address, 0),
    headers: securityHeaders({ hstsMaxAgeSeconds: hstsMaxAgeSeconds(config) }),
  });
}

/** Readiness check of the identity service, without which no key can be checked. */
function watchServed(
  config: GatewayConfiguration,
  { clock, logger, isDraining }: { clock: Clock; logger: Logger; isDraining: () => boolean },
): ServedWatch {
  return new ServedWatch(async () => {
    if (isDraining()) return 'none';
    const deadline = new Date(clock.now().getTime() + readinessTimeoutMs);
    return servedTo(config.IDENTITY_ADDRESS, {
      deadline,
      security: transportSecurityOf(config, logger),
    });
  });
}

function rateLimits({
  RATE_LIMIT_PER_SECOND: perSecond,
  RATE_LIMIT_BURST: burst,
  RATE_LIMIT_INGEST_PER_SECOND: ingestPerSecond,
  RATE_LIMIT_REFUSED_KEYS_PER_SECOND: refusedPerSecond,
}: GatewayConfiguration): {
  perKey?: RateLimit;
  ingestPerKey?: RateLimit;
  refusedKeys?: RateLimit;
} {
  return {
    ...(perSecond > 0 && burst > 0 && { perKey: new RateLimit({ perSecond, burst }) }),
    ...(ingestPerSecond > 0 && {
      ingestPerKey: new RateLimit({
        perSecond: ingestPerSecond,
        burst: ingestPerSecond * ingestBurstSeconds,
      }),
    }),
    ...(refusedPerSecond > 0 && {
      refusedKeys: new RateLimit({
        perSecond: refusedPerSecond,
        burst: refusedPerSecond * refusedKeysBurstSeconds,
      }),
    }),
  };
}

function pageRate({
  RATE_LIMIT_PAGES_PER_SECOND: perSecond,
}: GatewayConfiguration): RateLimit | undefined {
  if (perSecond === 0) return undefined;
  return new RateLimit({ perSecond, burst: perSecond * pagesBurstSeconds });
}

function linkOrderRate({
  RATE_LIMIT_LINK_ORDERS_PER_MINUTE: perMinute,
}: GatewayConfiguration): RateLimit | undefined {
  if (perMinute === 0) return undefined;
  return new RateLimit({ perSecond: perMinute / 60, burst: perMinute * linkOrdersBurstMinutes });
}

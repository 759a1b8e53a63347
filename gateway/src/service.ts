import type { RequestListener } from 'node:http';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { openFailpoints } from '@billing/chassis/failpoint';
import { isServing } from '@billing/chassis/health-check';
import { createLogger, type Logger } from '@billing/chassis/logging';
import { Metrics } from '@billing/chassis/metrics';
import { Closers } from '@billing/chassis/process';
import type { RunningService, ServiceOverrides } from '@billing/chassis/service';
import { startTracing } from '@billing/chassis/tracing';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import { Admission } from './admission';
import { createApp, segments } from './app';
import { Authentication } from './authentication';
import { type GatewayConfiguration, providerSettings } from './config';
import { IdentityProvider } from './dashboard/identity-provider';
import { OperatorAccess } from './dashboard/operator-access';
import { HttpServer } from './http-server';
import { InFlightLimit } from './in-flight-limit';
import { connectPeers } from './peers';
import { RateLimit } from './rate-limit';
import { RequestLog } from './request-log';
import { securityHeaders } from './security-headers';

// A probe must answer before whoever asks gives up.
const readinessTimeoutMs = 1_000;
// A burst of refused keys: a caller with a wrong key in its configuration is told so many times before it is limited.
const refusedKeysBurstSeconds = 10;
// As many seconds' worth as other requests have by default.
const ingestBurstSeconds = 2;
// An office or a mobile network shares an address, and its people open pages together.
const pagesBurstSeconds = 10;
// The same office may order together, but not all day.
const linkOrdersBurstMinutes = 3;

/** Serves REST; the address is a base URL. */
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
  const peers = connectPeers(config, logger);
  closers.add('peers', () => {
    for (const peer of Object.values<{ close(): void }>({ ...peers })) peer.close();
    return Promise.resolve();
  });
  const requestLog = new RequestLog({
    record: peers.requestLog.recordRequests,
    clock,
    logger,
    metrics,
  });
  // After the server, whose last requests it still tells of.
  closers.add('request log', () => requestLog.close());
  const operatorAccess = new OperatorAccess({
    operators: peers.operator,
    clock,
    logger,
    siteUrl: config.HOSTED_PAGE_URL,
    segments,
  });
  const isReady = async () =>
    !server.isDraining && (await isIdentityServing(config, { clock, logger }));
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
    identityProvider: identityProvider(config, { clock, logger }),
    traceUrl: config.TRACE_URL,
    keyedInFlight: InFlightLimit.ofProcess(config.HTTP_IN_FLIGHT_MAX),
    publicInFlight: InFlightLimit.ofProcess(config.HTTP_IN_FLIGHT_MAX),
    inFlightPerKey: InFlightLimit.perCaller(config.HTTP_IN_FLIGHT_PER_KEY_MAX),
    pageRate: pageRate(config),
    linkOrderRate: linkOrderRate(config),
    trustedProxies: config.TRUSTED_PROXIES,
    isReady,
  });
  const server = httpServer(app, { config, logger });
  metrics.observeReadiness(isReady);
  observeRequests(metrics, server);
  try {
    const address = await server.listen(config.HTTP_LISTEN);
    const { DRAIN_DELAY_MS: drainDelayMs, SHUTDOWN_GRACE_MS: graceMs } = config;
    closers.add('server', () => server.stop({ drainDelayMs, graceMs }));
    logger.info({ address }, 'serving');
    return { address, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
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

function observeRequests(metrics: Metrics, server: HttpServer): void {
  metrics.observe('activeRequests', () =>
    Promise.resolve([{ value: server.activeRequests, attributes: {} }]),
  );
}

function identityProvider(
  config: GatewayConfiguration,
  parts: { clock: Clock; logger: Logger },
): IdentityProvider | undefined {
  const settings = providerSettings(config);
  return settings === undefined ? undefined : new IdentityProvider(settings, parts);
}

function httpServer(
  app: RequestListener,
  { config, logger }: { config: GatewayConfiguration; logger: Logger },
): HttpServer {
  return new HttpServer({
    app,
    logger,
    limits: {
      headersMs: config.HTTP_HEADERS_TIMEOUT_MS,
      requestMs: config.HTTP_REQUEST_TIMEOUT_MS,
      connectionsMax: config.HTTP_CONNECTIONS_MAX,
    },
    headers: securityHeaders({ hstsMaxAgeSeconds: config.HSTS_MAX_AGE_SECONDS }),
  });
}

/** Without it no key can be checked. */
function isIdentityServing(
  config: GatewayConfiguration,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<boolean> {
  return isServing(config.IDENTITY_ADDRESS, {
    deadline: new Date(clock.now().getTime() + readinessTimeoutMs),
    security: transportSecurityOf(config, logger),
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
    ...(perSecond > 0 && { perKey: new RateLimit({ perSecond, burst }) }),
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

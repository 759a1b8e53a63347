import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@billing/chassis/clock';
import { openFailpoints } from '@billing/chassis/failpoint';
import { isServing } from '@billing/chassis/health-check';
import { createLogger } from '@billing/chassis/logging';
import { Metrics } from '@billing/chassis/metrics';
import { Closers } from '@billing/chassis/process';
import type { RunningService, ServiceOverrides } from '@billing/chassis/service';
import { startTracing } from '@billing/chassis/tracing';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import { Admission } from './admission';
import { createApp } from './app';
import { Authentication } from './authentication';
import type { GatewayConfiguration } from './config';
import { connectPeers } from './peers';
import { RateLimit } from './rate-limit';

// A probe must answer before whoever asks gives up.
const readinessTimeoutMs = 1_000;
// Longer than usual load balancers keep theirs, so that it is they who close.
const keepAliveMs = 65_000;
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
  const peers = connectPeers(config);
  closers.add('peers', () => {
    for (const peer of Object.values<{ close(): void }>({ ...peers })) peer.close();
    return Promise.resolve();
  });
  const app = createApp({
    clock,
    logger,
    peers,
    admission: new Admission({
      authentication: new Authentication(peers.identity, clock),
      clock,
      ...rateLimits(config),
    }),
    pageRate: pageRate(config),
    linkOrderRate: linkOrderRate(config),
    trustedProxies: config.TRUSTED_PROXIES,
    isReady: () =>
      isServing(config.IDENTITY_ADDRESS, {
        deadline: new Date(clock.now().getTime() + readinessTimeoutMs),
        security: transportSecurityOf(config),
      }),
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, app);
  try {
    const address = await listen(server, config.HTTP_LISTEN);
    closers.add('server', () => closeServer(server, config.SHUTDOWN_GRACE_MS));
    logger.info({ address }, 'serving');
    return { address, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
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

function listen(server: Server, hostAndPort: string): Promise<string> {
  const separator = hostAndPort.lastIndexOf(':');
  const host = hostAndPort.slice(0, separator).replace(/^\[|\]$/g, '');
  const port = Number(hostAndPort.slice(separator + 1));
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new Error(`Cannot listen on ${hostAndPort}`, { cause }));
    });
    server.listen(port, host, () => {
      const { port: boundPort } = server.address() as AddressInfo;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${String(boundPort)}`);
    });
  });
}

/** Answers running requests for at most `graceMs`, then cuts what is left. */
function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

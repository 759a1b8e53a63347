import { freePort } from '@billing/chassis/listen-address';
import type { RunningService, ServiceOverrides } from '@billing/chassis/service';
import { startTracing } from '@billing/chassis/tracing';
import {
  publicUrlOf,
  serviceAddress,
  serviceEnvironment,
  type SystemSite,
} from './service-environment';
import { type ServiceName, serviceNames, services } from './services';

export interface RunningSystem {
  /** URL of the address that the gateway listens on. */
  gatewayUrl: string;
  /** Start of every address that is handed out. */
  publicUrl: string;
  /** gRPC address of each service, and the URL of the gateway. */
  addresses: Record<ServiceName, string>;
  /** Process ids of the services; absent if they share this process. */
  pids?: () => Record<string, number>;
  stop(): Promise<void>;
}

/** Starts every service in this process; they still communicate over gRPC. */
export async function startSystem(
  wanted: SystemSite,
  overrides: ServiceOverrides = {},
): Promise<RunningSystem> {
  const site = await withPort(wanted);
  const { settings = {} } = site;
  const { TRACE_SAMPLE_RATIO: ratio } = settings;
  // Started first and stopped last. Tracing belongs to the process: a service that started it would
  // stop it for all.
  const tracing = startTracing({
    otlpEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    ...(ratio !== undefined && { sampleRatio: Number(ratio) }),
  });
  const running = new Map<ServiceName, RunningService>();
  const stop = async (): Promise<void> => {
    await stopAll(running);
    await tracing.shutdown();
  };
  const starts = serviceNames.map(async (name) => {
    running.set(name, await services[name].start(serviceEnvironment(name, site), overrides));
  });
  try {
    await allOrFirstError(starts);
  } catch (error) {
    await stop();
    throw error;
  }
  const gatewayUrl = running.get('gateway')?.address ?? '';
  const addresses = { ...addressesOf(site), gateway: gatewayUrl };
  return { gatewayUrl, publicUrl: publicUrlOf(site), addresses, stop };
}

/**
 * Chooses the gateway's port before anything starts: the addresses of public pages begin with the
 * gateway's URL, which stays the same over its restarts.
 */
export async function withPort<S extends SystemSite>(site: S): Promise<S> {
  return site.port === 0 ? { ...site, port: await freePort() } : site;
}

/**
 * Stops the gateway first, then all services in parallel, because each may still call any other.
 */
async function stopAll(running: Map<ServiceName, RunningService>): Promise<void> {
  await running.get('gateway')?.stop();
  const others = [...running].filter(([name]) => name !== 'gateway');
  await allOrFirstError(others.map(([, service]) => service.stop()));
}

export function addressesOf(site: SystemSite): Record<ServiceName, string> {
  return Object.fromEntries(
    serviceNames.map((name) => [name, serviceAddress(name, site)]),
  ) as Record<ServiceName, string>;
}

/** Waits for all, then throws the first error: nothing may still be starting at a stop. */
export async function allOrFirstError(running: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

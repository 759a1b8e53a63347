import { freePort } from '@billing/chassis/free-port';
import type { RunningService, ServiceOverrides } from '@billing/chassis/service';
import { startTracing } from '@billing/chassis/tracing';
import { serviceAddress, serviceEnvironment, type SystemSite } from './service-environment';
import { type ServiceName, serviceNames, services } from './services';

export interface RunningSystem {
  gatewayUrl: string;
  /** What a client dials to reach each service; the gateway's is its URL. */
  addresses: Record<ServiceName, string>;
  /** Processes of the services, where they have some of their own. */
  pids?: () => Record<string, number>;
  stop(): Promise<void>;
}

/** Starts every service in this process; they still talk over real gRPC. */
export async function startSystem(
  wanted: SystemSite,
  overrides: ServiceOverrides = {},
): Promise<RunningSystem> {
  const site = await withPort(wanted);
  // First in and last out: services share the process's tracing, and each would end it for all.
  const tracing = startTracing({
    otlpEndpoint: site.otlpEndpoint,
    ...(site.traceSampleRatio !== undefined && { sampleRatio: Number(site.traceSampleRatio) }),
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
  return { gatewayUrl, addresses: { ...addressesOf(site), gateway: gatewayUrl }, stop };
}

/** Chosen before anything starts, because the addresses of public pages begin with the gateway's, which keeps it over its restarts. */
export async function withPort<S extends SystemSite>(site: S): Promise<S> {
  return site.port === 0 ? { ...site, port: await freePort() } : site;
}

/** Callers from outside go first; services end side by side, because each may still call any other. */
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

/** All run to their end before an error is reported, so that nothing starts behind a stop. */
export async function allOrFirstError(running: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

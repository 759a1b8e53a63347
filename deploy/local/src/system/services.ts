import type { RunningService, ServiceOverrides } from '@billing/chassis/service';

/** Parts of the system that are separate processes in production. */
export const serviceNames = [
  'identity',
  'catalog',
  'customer',
  'discount',
  'checkout',
  'subscription',
  'metering',
  'notifier',
  'gateway',
] as const;

export type ServiceName = (typeof serviceNames)[number];

type Environment = Record<string, string | undefined>;

export interface ServiceDescription {
  /** Folder of its package, with its built entry point. */
  readonly folder: string;
  /** Starts the service in this process, with the configuration of its own process. */
  start(environment: Environment, overrides: ServiceOverrides): Promise<RunningService>;
}

/**
 * Services by name. Modules are loaded when a service starts: with `--processes` the launcher loads
 * none.
 */
export const services: Readonly<Record<ServiceName, ServiceDescription>> = {
  identity: {
    folder: 'services/identity',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/identity/config');
      const { start } = await import('@billing/identity/service');
      return await start(readConfig(environment), overrides);
    },
  },
  catalog: {
    folder: 'services/catalog',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/catalog/config');
      const { start } = await import('@billing/catalog/service');
      return await start(readConfig(environment), overrides);
    },
  },
  customer: {
    folder: 'services/customer',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/customer/config');
      const { start } = await import('@billing/customer/service');
      return await start(readConfig(environment), overrides);
    },
  },
  discount: {
    folder: 'services/discount',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/discount/config');
      const { start } = await import('@billing/discount/service');
      return await start(readConfig(environment), overrides);
    },
  },
  checkout: {
    folder: 'services/checkout',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/checkout/config');
      const { start } = await import('@billing/checkout/service');
      return await start(readConfig(environment), overrides);
    },
  },
  subscription: {
    folder: 'services/subscription',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/subscription/config');
      const { start } = await import('@billing/subscription/service');
      return await start(readConfig(environment), overrides);
    },
  },
  metering: {
    folder: 'services/metering',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/metering/config');
      const { start } = await import('@billing/metering/service');
      return await start(readConfig(environment), overrides);
    },
  },
  notifier: {
    folder: 'services/notifier',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/notifier/config');
      const { start } = await import('@billing/notifier/service');
      return await start(readConfig(environment), overrides);
    },
  },
  gateway: {
    folder: 'gateway',
    start: async (environment, overrides) => {
      const { readConfig } = await import('@billing/gateway/config');
      const { start } = await import('@billing/gateway/service');
      return await start(readConfig(environment), overrides);
    },
  },
};

/** Every part of the system that runs as a process of its own in production. */
export const serviceNames = [
  'identity',
  'catalog',
  'customer',
  'checkout',
  'subscription',
  'notifier',
  'gateway',
] as const;

export type ServiceName = (typeof serviceNames)[number];

type Environment = Record<string, string | undefined>;

export interface RunningService {
  /** What a client dials; for the gateway a base URL. */
  readonly address: string;
  stop(): Promise<void>;
}

export interface ServiceDescription {
  readonly name: ServiceName;
  /** The folder of its package, where its built entry is found. */
  readonly folder: string;
  /** Starts it in this process, configured as its own process would be. */
  start(environment: Environment): Promise<RunningService>;
}

/** Loaded only when it is started: with `--processes` the launcher itself holds no service. */
export const services: Readonly<Record<ServiceName, ServiceDescription>> = {
  identity: {
    name: 'identity',
    folder: 'services/identity',
    start: async (environment) => {
      const { start } = await import('@billing/identity/service');
      const { readConfig } = await import('@billing/identity/config');
      return await start(readConfig(environment));
    },
  },
};

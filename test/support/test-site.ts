import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { newSecrets } from '@billing/local/secrets';
import type { SystemSite } from '@billing/local/service-environment';

// Tests of other subjects send as fast as they can.
export const unlimited = {
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_INGEST_PER_SECOND: '0',
  RATE_LIMIT_REFUSED_KEYS_PER_SECOND: '0',
  RATE_LIMIT_PAGES_PER_SECOND: '0',
  RATE_LIMIT_LINK_ORDERS_PER_MINUTE: '0',
};

/** Servers that a system uses. */
export type Servers = Pick<SystemSite, 'mongodbUri' | 'natsUrl'>;

/** The servers of all tests. */
export function givenInfrastructure(): Servers {
  return { mongodbUri: process.env.MONGODB_URI ?? '', natsUrl: process.env.NATS_URL ?? '' };
}

/** Settings of a system with databases and a stream of its own. */
export function siteIn(
  dataDir: string,
  {
    infrastructure = givenInfrastructure(),
    otlpEndpoint,
    settings,
  }: {
    infrastructure?: Servers;
    otlpEndpoint?: string | undefined;
    /** Variables of services that differ from their defaults. */
    settings?: Record<string, string>;
  } = {},
): SystemSite & { logDir: string } {
  const run = randomSecret(5).toString('hex');
  return {
    ...infrastructure,
    databasePrefix: `t_${run}`,
    streamName: `T_${run}`,
    runDir: dataDir,
    port: 0,
    secrets: newSecrets(),
    logDir: join(dataDir, 'logs'),
    settings: {
      // One server reserves the space of all tests' streams.
      STREAM_MAX_BYTES: '8000000',
      ...(otlpEndpoint !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint }),
      ...settings,
    },
    variablesOf: quickPasswords,
  };
}

// Tests create more operators in a minute than an organization in years.
export function quickPasswords(service: string): Record<string, string> {
  return service === 'identity' ? { PASSWORD_HASH_COST: '10' } : {};
}

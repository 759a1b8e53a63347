import { SystemStore } from '@billing/chassis/system-store';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import type { Environment } from './service-settings';
import { serviceNames } from './services';

/** Database of each service, by service. */
export function databaseNames(databasePrefix: string): ReadonlyMap<string, string> {
  const services = serviceNames.filter((name) => name !== 'gateway');
  return new Map(services.map((name) => [name, `${databasePrefix}_${name}`]));
}

/** Options of a connection to the databases of a system with these settings of services. */
export function mongoOptions({
  MONGODB_TLS_CA: ca,
  MONGODB_TLS_CA_FILE: file,
}: Environment): MongoClientOptions {
  return {
    retryWrites: false,
    useBigInt64: true,
    ignoreUndefined: true,
    ...(ca !== undefined && { tls: true, ca }),
    ...(file !== undefined && { tls: true, tlsCAFile: file }),
  };
}

/** Opens databases that a final backup has moved. */
export async function openMovedData(
  mongodbUri: string,
  { databasePrefix, services }: { databasePrefix: string; services: Environment },
): Promise<void> {
  const client = await MongoClient.connect(mongodbUri, mongoOptions(services));
  try {
    for (const name of databaseNames(databasePrefix).values()) {
      await new SystemStore(client.db(name)).undoMove();
    }
  } finally {
    await client.close();
  }
}

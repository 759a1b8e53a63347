import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { SystemStore } from '@billing/chassis/system-store';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { databaseOf, type ServiceDatabase } from '../database/databases';

/** Databases of some services, without the services, for the calling file. */
export class ServiceDatabases {
  all: readonly ServiceDatabase[] = [];
  private readonly configurations: readonly ReturnType<typeof testServiceConfiguration>[];
  private connections: readonly MongoConnection[] = [];

  /** `name` begins the names of the databases. */
  constructor(
    name: string,
    private readonly services: readonly string[],
  ) {
    this.configurations = services.map((service) => testServiceConfiguration(`${name}_${service}`));
  }

  async connect(): Promise<void> {
    this.connections = await Promise.all(
      this.configurations.map(({ MONGODB_URI: uri, MONGODB_DATABASE: database }) =>
        connectMongo({ uri, database, service: 'test' }),
      ),
    );
    this.all = this.connections.map(({ db }, index) => {
      return { service: this.services[index] ?? '', db, system: new SystemStore(db) };
    });
  }

  of(service: string) {
    return databaseOf(this.all, service);
  }

  async drop(): Promise<void> {
    await Promise.all(this.connections.map((mongo) => mongo.close()));
    await dropTestDatabase(...this.configurations);
  }
}

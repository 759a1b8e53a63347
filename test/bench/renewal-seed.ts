import { type Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { makeResource } from './api';
import { anyOf, documentsOf, likeThatOf } from './floor-data';
import type { StagedSystem } from './stage';

const dayMs = 24 * 60 * 60 * 1_000;
// Monthly periods that began so long ago are in their second one now, for some weeks to come.
const startedAgoMs = 32 * dayMs;
const farAway = new Date('2100-01-01T00:00:00Z');
const insertedAtOnce = 1_000;

/** Makes subscriptions by copying one that the system has made itself, straight into its database. */
export class RenewalSeed {
  private constructor(
    private readonly client: MongoClient,
    private readonly databaseOf: (service: string) => string,
    private readonly template: Document,
  ) {}

  static async open(
    system: Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>,
  ): Promise<RenewalSeed> {
    const { site } = system;
    const post = (path: string, body: object) => makeResource(system, path, body);
    const customer = await post('/customers', { email: 'bench@example.com' });
    const product = await post('/products', {
      name: 'Monthly',
      type: 'FLAT',
      currency: 'USD',
      amount: 2900,
      billingInterval: 'MONTHLY',
    });
    const { id } = await post('/subscriptions', { customerId: customer.id, productId: product.id });
    const client = new MongoClient(site.mongodbUri, {
      promoteLongs: false,
      writeConcern: { w: 'majority', journal: true },
    });
    await client.connect();
    const collection = client.db(`${site.databasePrefix}_subscription`).collection('subscriptions');
    const databaseOf = (service: string) => `${site.databasePrefix}_${service}`;
    return new RenewalSeed(client, databaseOf, await settled(collection, id));
  }

  get subscriptions() {
    return documentsOf(this.client, this.databaseOf('subscription'), 'subscriptions');
  }

  get invoices() {
    return documentsOf(this.client, this.databaseOf('checkout'), 'invoices');
  }

  /** The same documents with the same indexes, all in a database of a floor's own. */
  async floorIn(database: string): Promise<RenewalSeed> {
    const floor = new RenewalSeed(this.client, () => database, this.template);
    await likeThatOf(this.subscriptions, floor.subscriptions);
    await likeThatOf(this.invoices, floor.invoices);
    await floor.invoices.insertOne(await anyOf(this.invoices));
    return floor;
  }

  /** So many subscriptions whose second period has begun without anybody noticing yet; returns their ids. */
  async overdue(count: number): Promise<string[]> {
    const start = new Date(performance.timeOrigin + performance.now() - startedAgoMs);
    return this.insert(count, { startAt: start, anchor: start });
  }

  /** So many that are due in another age. */
  async idle(count: number): Promise<void> {
    await this.insert(count, {});
  }

  /** Lets the scanner see that they are due. */
  async release(ids: readonly string[]): Promise<void> {
    const dueAt = new Date(performance.timeOrigin + performance.now() - 1_000);
    await this.subscriptions.updateMany({ _id: { $in: [...ids] } }, { $set: { dueAt } });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async insert(count: number, fields: Document): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    for (let from = 0; from < count; from += insertedAtOnce) {
      const documents = ids
        .slice(from, from + insertedAtOnce)
        // Nobody has heard of them: their first event will be their renewal.
        .map((_id) => ({
          ...this.template,
          ...fields,
          dueAt: farAway,
          itemId: newId(),
          eventSequence: 0,
          _id,
        }));
      await this.subscriptions.insertMany(documents, { ordered: false });
    }
    return ids;
  }
}

async function settled(
  collection: ReturnType<ReturnType<MongoClient['db']>['collection']>,
  id: string,
): Promise<Document> {
  for (;;) {
    const document = await collection.findOne({ _id: id as never });
    const outbox = document?.outbox as unknown[] | undefined;
    if (document && outbox?.length === 0 && document.pendingSince === null) return document;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

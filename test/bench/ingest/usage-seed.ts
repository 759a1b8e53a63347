import { type Document, MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { createResource } from '../stage/api';
import { documentsOf } from '../stage/floor-data';
import type { StagedSystem } from '../stage/stage';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const periodAgoMs = 20 * dayMs;
// The last hours are open, and read event by event: they hold the same few events for every total.
const openMs = 2 * hourMs;
const openEvents = 20;
const insertBatchSize = 1_000;
const concurrentInserts = 4;
const pollMs = 250;
const sealedWithinMs = 180_000;

/** A customer with a given number of events in the current period. */
export interface SeededUsage {
  readonly customerId: string;
  readonly meterId: string;
  readonly events: number;
}

/**
 * Stores usage through the driver, in addition to what the API creates, and has the system seal its
 * hours.
 */
export class UsageSeed {
  private constructor(
    private readonly system: StagedSystem,
    private readonly client: MongoClient,
    private readonly meterId: string,
    private readonly productId: string,
  ) {}

  static async open(system: StagedSystem): Promise<UsageSeed> {
    const meter = await createResource(system, '/meters', { name: 'Calls' });
    const product = await createResource(system, '/products', {
      name: 'Pro',
      type: 'FLAT',
      currency: 'USD',
      amount: 2900,
      billingInterval: 'MONTHLY',
    });
    const response = await fetch(`${system.gatewayUrl}/v1/products/${product.id}/meter-prices`, {
      method: 'PATCH',
      headers: {
        Authorization: `Bearer ${system.keys.testKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ prices: [{ meterId: meter.id, unitAmount: '0.5' }] }),
    });
    if (response.status !== 200) throw new Error(`No meter price: ${await response.text()}`);
    const client = new MongoClient(system.site.mongodbUri, {
      useBigInt64: true,
      writeConcern: { w: 'majority', journal: true },
    });
    await client.connect();
    return new UsageSeed(system, client, meter.id, product.id);
  }

  /** Creates a customer subscribed for twenty days, with this many events since then. */
  async customer(events: number): Promise<SeededUsage> {
    const now = performance.timeOrigin + performance.now();
    const start = now - periodAgoMs;
    const { id: customerId } = await createResource(this.system, '/customers', {
      email: 'heavy@example.com',
    });
    const startAt = new Date(start).toISOString();
    const { productId, meterId } = this;
    await createResource(this.system, '/subscriptions', { customerId, productId, startAt });
    // The system learns of the series by an event of its own, old enough that its hour may be
    // sealed immediately.
    const first = new Date(start + hourMs).toISOString();
    await this.insert({ customerId, meterId, events }, { start, now });
    await this.ingest({ customerId, timestamp: first });
    return { customerId, meterId, events };
  }

  /** Waits until the hours of all these customers are sealed, as far as they may be. */
  async untilSealed(all: readonly SeededUsage[]): Promise<void> {
    const startedMs = performance.now();
    const series = this.collection('usageSeries');
    const farEnough = new Date(performance.timeOrigin + startedMs - openMs);
    const query = {
      customerId: { $in: all.map(({ customerId }) => customerId) },
      sealedUntil: { $gte: farEnough },
    };
    while ((await series.countDocuments(query)) < all.length) {
      if (performance.now() - startedMs > sealedWithinMs)
        throw new Error('Hours were not sealed in time');
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async insert(
    { customerId, meterId, events: count }: SeededUsage,
    { start, now }: { start: number; now: number },
  ): Promise<void> {
    const events = this.collection('usageEvents');
    // One less: the system itself ingests one.
    const spread = count - 1 - openEvents;
    const sealed = now - openMs - start;
    const environmentId = await this.environmentId();
    const documentAt = (index: number): Document & { _id: string } => {
      const isOpen = index >= spread;
      const at = isOpen
        ? now - openMs + ((index - spread) * openMs) / openEvents
        : start + (index * sealed) / spread;
      return {
        _id: `${environmentId}:${randomUUID()}`,
        environmentId,
        customerId,
        meterId,
        quantity: '12.5',
        timestamp: new Date(at),
        receivedAt: new Date(at),
        arrival: Math.floor(at) * 1_000,
      };
    };
    const total = count - 1;
    let next = 0;
    const lane = async () => {
      while (next < total) {
        const from = next;
        next += insertBatchSize;
        const length = Math.min(insertBatchSize, total - from);
        const documents = Array.from({ length }, (_, index) => documentAt(from + index));
        await events.insertMany(documents, { ordered: false });
      }
    };
    await Promise.all(Array.from({ length: concurrentInserts }, lane));
  }

  private async ingest(event: { customerId: string; timestamp: string }): Promise<void> {
    const { meterId } = this;
    const response = await fetch(`${this.system.gatewayUrl}/v1/events/ingest`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.system.keys.testKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify([{ ...event, meterId, quantity: '12.5' }]),
    });
    const { accepted } = (await response.json()) as { accepted?: number };
    if (accepted !== 1) throw new Error('The first event was not accepted');
  }

  private async environmentId(): Promise<string> {
    const meter = await this.collection('meters').findOne({ _id: this.meterId });
    if (meter === null) throw new Error('The meter is not stored');
    return meter.environmentId as string;
  }

  private collection(name: string) {
    return documentsOf(this.client, `${this.system.site.databasePrefix}_metering`, name);
  }
}

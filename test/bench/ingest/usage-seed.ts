import { MongoClient } from 'mongodb';
import { createResource } from '../stage/api';
import { documentsOf } from '../stage/floor-data';
import type { StagedSystem } from '../stage/stage';

const hourMs = 3_600_000;
const periodAgoMs = 20 * 24 * hourMs;
const batchSize = 1_000;
const concurrentBatches = 4;
const pollMs = 250;
const foldedWithinMs = 180_000;

/** A customer with a given number of events in the current period. */
export interface SeededUsage {
  readonly customerId: string;
  readonly meterId: string;
  readonly events: number;
}

/** Where the events of a customer lie: in the twenty days of the period, or in the open hour. */
export type UsageSpread = 'period' | 'open hour';

/** Sends usage of customers, and has the system fold it. */
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

  /** Creates a customer subscribed for twenty days, with this many events in a span up to now. */
  async customer(events: number, spread: UsageSpread): Promise<SeededUsage> {
    const now = performance.timeOrigin + performance.now();
    const start = now - periodAgoMs;
    const from = spread === 'period' ? start : Math.floor(now / hourMs) * hourMs;
    const { id: customerId } = await createResource(this.system, '/customers', {
      email: 'heavy@example.com',
    });
    const startAt = new Date(start).toISOString();
    const { productId, meterId } = this;
    await createResource(this.system, '/subscriptions', { customerId, productId, startAt });
    let sent = 0;
    const lane = async () => {
      while (sent < events) {
        const first = sent;
        sent = Math.min(events, first + batchSize);
        const times = Array.from(
          { length: sent - first },
          (_, index) => from + ((first + index) * (now - from)) / events,
        );
        await this.ingest(customerId, times);
      }
    };
    await Promise.all(Array.from({ length: concurrentBatches }, lane));
    return { customerId, meterId, events };
  }

  /** Waits until all flushes of these customers are in buckets. */
  async untilFolded(all: readonly SeededUsage[]): Promise<void> {
    const startedMs = performance.now();
    const environmentId = await this.environmentId();
    const keys = all.map(({ customerId, meterId }) => `${environmentId}:${customerId}:${meterId}:`);
    const [series, parts] = [this.collection('usageSeries'), this.collection('usageParts')];
    while ((await parts.countDocuments({ k: { $in: keys } })) > 0) {
      if (performance.now() - startedMs > foldedWithinMs)
        throw new Error('Usage was not folded in time');
      await series.updateMany({ _id: { $in: keys } }, { $set: { foldAt: new Date(0) } });
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async ingest(customerId: string, times: readonly number[]): Promise<void> {
    const { meterId } = this;
    const events = times.map((time) => ({
      ...{ customerId, meterId, quantity: '12.5' },
      timestamp: new Date(time).toISOString(),
    }));
    const response = await fetch(`${this.system.gatewayUrl}/v1/events/ingest`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.system.keys.testKey}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(events),
    });
    const { accepted } = (await response.json()) as { accepted?: number };
    if (accepted !== times.length) throw new Error('An event was not accepted');
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

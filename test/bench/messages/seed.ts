import { type Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { ApiClient } from '../../support/api-client';
import { documentsOf } from '../stage/floor-data';
import type { StagedSystem } from '../stage/stage';

const insertBatchSize = 2_000;
const insertsInFlight = 4;
const pollMs = 100;
const quietMs = 2_000;
const giveUpMs = 120_000;
const positionDigits = 12;
const dayMs = 24 * 60 * 60 * 1_000;
// Long enough ago for no background work to look at them, and within the retention.
const acceptedAgoMs = 10 * dayMs;

/**
 * A sandbox with a real clock whose feed is extended by copies of one of its events, directly in
 * the database of `notifier`.
 */
export class FeedSeed {
  private constructor(
    readonly api: ApiClient,
    private readonly client: MongoClient,
    private readonly database: string,
    /** Id of the sandbox. */
    readonly environmentId: string,
    private readonly template: { readonly entry: Document; readonly message: Document },
  ) {}

  /** The copied event is the first one of its type after a sale. */
  static async open(
    system: StagedSystem,
    { name, type }: { readonly name: string; readonly type: string },
  ): Promise<FeedSeed> {
    const { id: environmentId, api } = await sandboxOf(system, name);
    await sellOnce(api);
    const { mongodbUri, databasePrefix } = system.site;
    const client = new MongoClient(mongodbUri);
    await client.connect();
    const database = `${databasePrefix}_notifier`;
    const feed = documentsOf(client, database, 'feed');
    await settled(feed, environmentId);
    const entry = await feed.findOne({ environmentId, type });
    const _id = entry?.messageId as string;
    const message = await documentsOf(client, database, 'messages').findOne({ _id });
    if (entry === null || message === null) throw new Error(`The sandbox has no ${type}`);
    return new FeedSeed(api, client, database, environmentId, { entry, message });
  }

  /** Number of mails of the sandbox. */
  async emailsCount(): Promise<number> {
    const emails = documentsOf(this.client, this.database, 'emails');
    return emails.countDocuments({ environmentId: this.environmentId });
  }

  /** Appends copies to the feed. */
  async extendBy(count: number): Promise<void> {
    const { environmentId } = this;
    const feed = documentsOf(this.client, this.database, 'feed');
    const first = await feed.countDocuments({ environmentId });
    const length = first + count;
    const starts: number[] = [];
    for (let from = first; from < length; from += insertBatchSize) starts.push(from);
    const queue = starts.values();
    const worker = async () => {
      for (const from of queue) await this.append(from, Math.min(insertBatchSize, length - from));
    };
    await Promise.all(Array.from({ length: insertsInFlight }, worker));
  }

  /** `_id` of the entry at a position, also of one that does not exist. */
  entryId(position: number): string {
    return `${this.environmentId}::${String(position).padStart(positionDigits, '0')}`;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async append(after: number, count: number): Promise<void> {
    const { entry, message } = this.template;
    const acceptedAt = new Date(performance.timeOrigin + performance.now() - acceptedAgoMs);
    const messages = Array.from({ length: count }, () => {
      return { ...message, _id: newId(), subscriptionId: newId(), sequence: 1, acceptedAt };
    });
    const entries = messages.map(({ _id: messageId }, index) => {
      return { ...entry, _id: this.entryId(after + index + 1), messageId, acceptedAt };
    });
    await documentsOf(this.client, this.database, 'messages').insertMany(messages, {
      ordered: false,
    });
    await documentsOf(this.client, this.database, 'feed').insertMany(entries, { ordered: false });
  }
}

/** Creates a sandbox with a real clock. */
export async function sandboxOf(
  { gatewayUrl, keys }: StagedSystem,
  name: string,
): Promise<{ readonly id: string; readonly api: ApiClient }> {
  const live = new ApiClient(gatewayUrl, keys.liveKey);
  const { id, key } = await live.expect(201, live.post('/sandboxes', { name }));
  return { id: id as string, api: new ApiClient(gatewayUrl, key as string) };
}

/** Sells a subscription whose first invoice is paid. */
async function sellOnce(api: ApiClient): Promise<void> {
  const made = async (path: string, body: object): Promise<string> =>
    (await api.expect(201, api.post(path, body))).id;
  const customerId = await made('/customers', { email: 'ada@example.com', name: 'Ada Lovelace' });
  const price = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
  const productId = await made('/products', { name: 'Monthly', ...price });
  const authorizedTransactionId = 'txn_4242424242424242';
  await made('/subscriptions', { customerId, productId, authorizedTransactionId });
}

/** Waits until a feed has the paid invoice and no longer grows. */
async function settled(feed: ReturnType<typeof documentsOf>, environmentId: string): Promise<void> {
  const startedMs = performance.now();
  let [length, sinceMs] = [0, startedMs];
  for (;;) {
    const isPaid = (await feed.findOne({ environmentId, type: 'invoice.paid' })) !== null;
    const now = await feed.countDocuments({ environmentId });
    if (now !== length) [length, sinceMs] = [now, performance.now()];
    if (isPaid && performance.now() - sinceMs > quietMs) return;
    if (performance.now() - startedMs > giveUpMs) throw new Error('No invoice was paid in time');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

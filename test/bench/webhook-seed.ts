import { type Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { connectStream, type EventStream } from '@billing/chassis/jet-stream';
import { createLogger } from '@billing/chassis/logging';
import { documentsOf } from './stage/floor-data';
import { createResource } from './stage/api';
import type { StagedSystem } from './stage/stage';

export const endpointsCount = 10;
const publishBatchSize = 100;
const pollMs = 20;
const giveUpMs = 120_000;

interface Envelope {
  readonly id: string;
  readonly subject: string;
  readonly environmentid: string;
}

/**
 * An environment with the maximum number of endpoints, and events for them, published as
 * subscription publishes its own.
 */
export class WebhookSeed {
  private constructor(
    private readonly client: MongoClient,
    private readonly stream: EventStream,
    private readonly database: string,
    private readonly template: Envelope,
  ) {}

  /** The endpoints are at `<origin>/<name>/0` to 9. */
  static async open(
    { gatewayUrl, keys, site }: Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>,
    { origin, name }: { origin: string; name: string },
  ): Promise<WebhookSeed> {
    const live = { gatewayUrl, keys: { ...keys, testKey: keys.liveKey } };
    const sandbox = (await createResource(live, '/sandboxes', { name })) as { key?: string };
    const place = { gatewayUrl, keys: { ...keys, testKey: sandbox.key ?? '' } };
    for (let number = 0; number < endpointsCount; number += 1) {
      await createResource(place, '/webhook-endpoints', {
        url: `${origin}/${name}/${String(number)}`,
      });
    }
    const client = new MongoClient(site.mongodbUri);
    await client.connect();
    const stream = await connectStream({
      url: site.natsUrl,
      streamName: site.streamName,
      service: 'bench',
      logger: createLogger({ service: 'bench', level: 'error' }),
    });
    const log = documentsOf(client, `${site.databasePrefix}_subscription`, 'eventLog');
    const template = await createdEvent(place, log);
    return new WebhookSeed(client, stream, `${site.databasePrefix}_notifier`, template);
  }

  get deliveries() {
    return documentsOf(this.client, this.database, 'deliveries');
  }

  /** The floor's deliveries, in a database of its own. */
  floorIn(database: string) {
    return documentsOf(this.client, database, 'deliveries');
  }

  /** The body of one of its webhooks. */
  async body(): Promise<string> {
    const messages = documentsOf(this.client, this.database, 'messages');
    const message = await messages.findOne({ environmentId: this.template.environmentid });
    if (message === null) throw new Error('No message was stored');
    return message.body as string;
  }

  /** Announces events, each the first of another subscription. */
  async announce(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      const subject = newId();
      const id = `${subject}:1`;
      const data = JSON.stringify({ ...this.template, id, subject });
      return { subject: 'subscription.subscription.created', id, data };
    });
    for (let from = 0; from < count; from += publishBatchSize) {
      const some = events.slice(from, from + publishBatchSize);
      await Promise.all(some.map((event) => this.stream.publish(event)));
    }
  }

  /** Waits until no result is unwritten, except for an excluded endpoint. */
  async untilStored({ without }: { without?: string | undefined } = {}): Promise<void> {
    const endpoints = documentsOf(this.client, this.database, 'webhookEndpoints');
    const all = await endpoints.find({ environmentId: this.template.environmentid }).toArray();
    const ids = all.filter(({ url }) => url !== without).map(({ _id }) => _id);
    const startedMs = performance.now();
    const environmentId = this.template.environmentid;
    const pending: Document = { environmentId, endpointId: { $in: ids }, status: 'PENDING' };
    while ((await this.deliveries.findOne(pending)) !== null) {
      if (performance.now() - startedMs > giveUpMs)
        throw new Error('Deliveries did not finish in time');
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async close(): Promise<void> {
    await this.stream.close();
    await this.client.close();
  }
}

/** The event of a new subscription, as its owner has logged it. */
async function createdEvent(
  place: Pick<StagedSystem, 'gatewayUrl' | 'keys'>,
  log: ReturnType<typeof documentsOf>,
): Promise<Envelope> {
  const customer = await createResource(place, '/customers', { email: 'bench@example.com' });
  const product = await createResource(place, '/products', {
    name: 'Monthly',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900,
    billingInterval: 'MONTHLY',
  });
  const order = { customerId: customer.id, productId: product.id };
  const { id } = await createResource(place, '/subscriptions', order);
  const startedMs = performance.now();
  for (;;) {
    const entry = await log.findOne({ _id: `${id}:1` });
    if (entry !== null) return JSON.parse(entry.envelope as string) as Envelope;
    if (performance.now() - startedMs > giveUpMs) throw new Error('No event was announced in time');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

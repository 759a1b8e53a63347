import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { ApiClient } from '../support/api-client';
import { fixedPoint, one } from '../invariants/picture/fixed-point';
import { cards } from '../scenario/scenario';
import { PersistentClient } from '../support/persistent-client';

const pauseBetweenBatchesMs = 10;
const dayMs = 24 * 60 * 60 * 1_000;
const cancelReason = 'SUBSCRIPTION_CANCEL';

interface SentEvent {
  readonly eventId: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly quantity: string;
  readonly timestamp: string;
}

/**
 * Senders of usage events that retry each batch until it is acknowledged, and a record of the
 * acknowledged events: the usage and the bills of all customers follow from it.
 */
export class UsageLoad {
  /** Every acknowledged event, by eventId. */
  readonly log = new Map<string, SentEvent>();
  readonly outcomes = { batches: 0, tries: 0, accepted: 0, duplicates: 0 };
  private readonly client: PersistentClient;
  private meters: { id: string; aggregation: string }[] = [];
  private subscribed: string[] = [];
  private unsubscribed = '';

  private constructor(private readonly sandbox: ApiClient) {
    this.client = new PersistentClient(sandbox);
  }

  /** Creates customers with a metered subscription, and one without. */
  static async open(sandbox: ApiClient, subscriptions: number): Promise<UsageLoad> {
    const load = new UsageLoad(sandbox);
    const { client } = load;
    load.meters = [
      await client.post(201, '/meters', { name: 'Bytes' }),
      await client.post(201, '/meters', { name: 'Calls', aggregation: 'COUNT' }),
    ];
    load.unsubscribed = (await client.post(201, '/customers', { email: 'free@example.com' })).id;
    for (let number = 1; number <= subscriptions; number += 1) {
      load.subscribed.push(await load.subscribe(`ada${String(number)}@example.com`));
    }
    return load;
  }

  private async subscribe(email: string): Promise<string> {
    const { client, sandbox } = this;
    const customer = await client.post(201, '/customers', { email });
    const product = await client.post(201, '/products', {
      name: 'Metered',
      type: 'FLAT',
      currency: 'USD',
      amount: 700,
      billingInterval: 'MONTHLY',
    });
    const prices = this.meters.map(({ id }) => ({ meterId: id, unitAmount: '1' }));
    const path = `/products/${String(product.id)}/meter-prices`;
    await sandbox.expect(200, sandbox.request('PATCH', path, { body: { prices } }));
    await client.post(201, '/subscriptions', {
      customerId: customer.id,
      productId: product.id,
      authorizedTransactionId: `${cards.good}_${String(customer.id)}`,
    });
    return customer.id as string;
  }

  /** Sends batches one after another; `sender` tells concurrent senders apart. */
  async sendRepeatedly(sender: number, ending: AbortSignal): Promise<void> {
    for (let count = 1; !ending.aborted; count += 1) {
      const fresh = Array.from({ length: 1 + ((count * 7) % 40) }, (_, index) =>
        this.newEvent(sender + count + index),
      );
      // Some that any sender had acknowledged, one that this very batch has already.
      const known = [...this.log.values()].slice(-300);
      const again = known.filter((_, index) => (index + count) % 23 === 0);
      await this.acknowledge([...fresh, ...again, ...fresh.slice(0, count % 2)]);
      await sleep(pauseBetweenBatchesMs, ending);
    }
  }

  private newEvent(number: number): SentEvent {
    const customers = [...this.subscribed, this.unsubscribed];
    const customerId = customers[number % customers.length] ?? '';
    const meter = this.meters[number % 2];
    // A customer without a subscription is counted by the month; so events of many hours, folded
    // ones too, are stored while processes fail.
    const age =
      customerId === this.unsubscribed
        ? (Math.floor(number / (2 * customers.length)) % 30) * dayMs
        : 0;
    return {
      eventId: newId(),
      customerId,
      meterId: meter?.id ?? '',
      quantity: meter?.aggregation === 'COUNT' ? '1' : quantityOf(number),
      timestamp: new Date(Date.now() - age).toISOString(),
    };
  }

  /** Sends the same bytes until they are acknowledged. */
  private async acknowledge(events: readonly SentEvent[]): Promise<void> {
    const { client, sandbox, outcomes, log } = this;
    const text = JSON.stringify({ events });
    const answer = await client.answer(() => {
      outcomes.tries += 1;
      // Each try is counted: none is sent again unseen.
      return sandbox.request('POST', '/events/ingest', { body: text, repeatsMax: 0 });
    }, ingestTimeoutMs);
    expect(answer).toMatchObject({ status: 201, body: { rejected: [] } });
    const { accepted, duplicates } = answer.body as Record<'accepted' | 'duplicates', number>;
    expect(accepted + duplicates).toBe(events.length);
    outcomes.batches += 1;
    outcomes.accepted += accepted;
    outcomes.duplicates += duplicates;
    for (const event of events) log.set(event.eventId, event);
  }

  /** The API lists each acknowledged event once as it was sent, and nothing else. */
  async expectStored(): Promise<void> {
    const stored = await this.sandbox.all('/events');
    const shown = stored.map(({ eventId, customerId, meterId, quantity, timestamp }) => ({
      eventId,
      customerId,
      meterId,
      quantity,
      timestamp,
    }));
    const byId = (a: SentEvent, b: SentEvent) => (a.eventId < b.eventId ? -1 : 1);
    expect(shown.toSorted(byId)).toEqual([...this.log.values()].toSorted(byId));
    expect(new Set(stored.map(({ id }) => id as string)).size).toBe(this.log.size);
  }

  /** The state of each customer counts each acknowledged event once. */
  async expectCounted(): Promise<void> {
    for (const customerId of [...this.subscribed, this.unsubscribed]) {
      const state: any[] = await this.client.get(`/customers/${customerId}/state`);
      expect(state.map(({ meterId }) => meterId as string).toSorted()).toEqual(
        this.meters.map(({ id }) => id).toSorted(),
      );
      for (const { meterId, usage, periodStart, periodEnd } of state) {
        expect(fixedPoint(usage)).toBe(this.usageOf(customerId, meterId, periodStart, periodEnd));
      }
    }
  }

  /** Ends the subscriptions: their last invoices bill each acknowledged event once. */
  async expectBilled(): Promise<void> {
    for (const customerId of this.subscribed) {
      const [subscription] = await this.sandbox.all(`/subscriptions?customerId=${customerId}`);
      const path = `/subscriptions/${String(subscription.id)}/cancel`;
      await this.client.post(200, path, { atPeriodEnd: false });
      const final = await this.finalInvoice(subscription);
      expect(final.lineItems).toHaveLength(this.meters.length);
      for (const { meterId, quantity, amount } of final.lineItems) {
        const usage = this.usageOf(customerId, meterId, subscription.startAt, '9999');
        expect(fixedPoint(quantity)).toBe(usage);
        expect(BigInt(amount)).toBe(roundedHalfUp(usage));
      }
    }
  }

  private usageOf(customerId: string, meterId: string, from: string, to: string): bigint {
    return [...this.log.values()]
      .filter((event) => event.customerId === customerId && event.meterId === meterId)
      .filter(({ timestamp }) => timestamp >= from && timestamp < to)
      .reduce((sum, { quantity }) => sum + fixedPoint(quantity), 0n);
  }

  private async finalInvoice({ id }: { id: string }): Promise<any> {
    const answer = await this.client.answer(async () => {
      const list = await this.sandbox.get(`/invoices?subscriptionId=${id}`);
      const isThere = list.body.data?.some((found: any) => found.billingReason === cancelReason);
      return isThere === true ? list : { ...list, status: 503 };
    });
    return answer.body.data.find((found: any) => found.billingReason === cancelReason);
  }
}

// A batch waits while the processes that store it are frozen for minutes.
const ingestTimeoutMs = 900_000;

/** Decimals, and occasionally a negative correction. */
function quantityOf(number: number): string {
  return number % 11 === 0 ? '-0.3' : `${String(number % 13)}.${String((number % 9) + 1)}`;
}

function roundedHalfUp(exact: bigint): bigint {
  return (2n * exact + one) / (2n * one);
}

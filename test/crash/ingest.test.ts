import { sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { fixedPoint, one } from '../invariants/fixed-point';
import { PersistentClient } from '../support/persistent-client';
import { cards } from '../scenario/scenario';
import { isNightly } from '../support/rounds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const loadMs = isNightly ? 30_000 : 6_000;
// For a load that hangs: on a busy machine a process needs time to restart.
const loadMsMax = 20 * 60_000;
const killsMin = 4;
const senders = 3;
const pauseBetweenBatchesMs = 10;
// From its first answered batch on, so that each kill meets a process that stores events.
const killAfterMsMax = 1_500;
const watchEveryMs = 25;
const settleTimeoutMs = 120_000;
const dayMs = 24 * 60 * 60 * 1_000;

interface SentEvent {
  readonly eventId: string;
  readonly customerId: string;
  readonly meterId: string;
  readonly quantity: string;
  readonly timestamp: string;
}

describe('metering that is killed while it ingests events', () => {
  let system: OwnTestSystem;
  let sandbox: ApiClient;
  let client: PersistentClient;
  let meters: { id: string; aggregation: string }[];
  let subscribed: string[];
  let unsubscribed: string;
  /** Every acknowledged event, by eventId. */
  const log = new Map<string, SentEvent>();
  const killed: number[] = [];
  const outcomes = { batches: 0, tries: 0, accepted: 0, duplicates: 0 };

  beforeAll(async () => {
    system = await startTestSystem({ processes: true });
    ({ sandbox } = system);
    client = new PersistentClient(sandbox);
    meters = [
      await client.post(201, '/meters', { name: 'Bytes' }),
      await client.post(201, '/meters', { name: 'Calls', aggregation: 'COUNT' }),
    ];
    unsubscribed = (await client.post(201, '/customers', { email: 'free@example.com' })).id;
    subscribed = [await subscribe('ada@example.com'), await subscribe('bob@example.com')];
    await runLoad();
  }, loadMsMax + settleTimeoutMs);

  afterAll(async () => {
    const { batches, tries, accepted, duplicates } = outcomes;
    process.stderr.write(
      `${String(killed.length)} kills, ${String(batches)} batches in ${String(tries)} tries, ${String(log.size)} events, ` +
        `${String(log.size - accepted)} of them stored without an answer, ${String(duplicates)} duplicates reported\n`,
    );
    await system.stop();
  });

  async function subscribe(email: string): Promise<string> {
    const customer = await client.post(201, '/customers', { email });
    const product = await client.post(201, '/products', {
      name: 'Metered',
      type: 'FLAT',
      currency: 'USD',
      amount: 700,
      billingInterval: 'MONTHLY',
    });
    const prices = meters.map(({ id }) => ({ meterId: id, unitAmount: '1' }));
    const path = `/products/${String(product.id)}/meter-prices`;
    await sandbox.expect(200, sandbox.request('PATCH', path, { body: { prices } }));
    await client.post(201, '/subscriptions', {
      customerId: customer.id,
      productId: product.id,
      authorizedTransactionId: `${cards.good}_${String(customer.id)}`,
    });
    return customer.id as string;
  }

  async function runLoad(): Promise<void> {
    const ending = new AbortController();
    const work = [
      ...Array.from({ length: senders }, (_, index) => sendRepeatedly(index, ending.signal)),
      killRepeatedly(ending.signal),
    ];
    const startedMs = performance.now();
    const isEnough = () => killed.length >= killsMin && outcomes.duplicates > 0;
    await sleep(loadMs);
    while (!isEnough() && performance.now() - startedMs < loadMsMax) await sleep(watchEveryMs);
    ending.abort();
    await Promise.all(work);
  }

  async function sendRepeatedly(sender: number, ending: AbortSignal): Promise<void> {
    for (let count = 1; !ending.aborted; count += 1) {
      const fresh = Array.from({ length: 1 + ((count * 7) % 40) }, (_, index) =>
        newEvent(sender + count + index),
      );
      // Some that any sender had acknowledged, one that this very batch has already.
      const known = [...log.values()].slice(-300).filter((_, index) => (index + count) % 23 === 0);
      const events = [...fresh, ...known, ...fresh.slice(0, count % 2)];
      await acknowledge(events);
      await sleep(pauseBetweenBatchesMs, ending);
    }
  }

  function newEvent(number: number): SentEvent {
    const customerId = [...subscribed, unsubscribed][number % 3] ?? '';
    const meter = meters[number % 2];
    // A customer without a subscription is counted by the month; so events of many hours, folded
    // ones too, are stored while processes die.
    const age = customerId === unsubscribed ? (Math.floor(number / 6) % 30) * dayMs : 0;
    return {
      eventId: newId(),
      customerId,
      meterId: meter?.id ?? '',
      quantity: meter?.aggregation === 'COUNT' ? '1' : quantityOf(number),
      timestamp: new Date(Date.now() - age).toISOString(),
    };
  }

  /** Sends the same bytes until they are acknowledged. */
  async function acknowledge(events: readonly SentEvent[]): Promise<void> {
    const text = JSON.stringify({ events });
    const answer = await client.answer(() => {
      outcomes.tries += 1;
      // Each try is counted: none is sent again unseen.
      return sandbox.request('POST', '/events/ingest', { body: text, repeatsMax: 0 });
    });
    expect(answer).toMatchObject({ status: 201, body: { rejected: [] } });
    const { accepted, duplicates } = answer.body as Record<'accepted' | 'duplicates', number>;
    expect(accepted + duplicates).toBe(events.length);
    outcomes.batches += 1;
    outcomes.accepted += accepted;
    outcomes.duplicates += duplicates;
    for (const event of events) log.set(event.eventId, event);
  }

  async function killRepeatedly(ending: AbortSignal): Promise<void> {
    let answeredBefore = 0;
    while (!ending.aborted) {
      await sleep(watchEveryMs, ending);
      const pid = system.pids().metering;
      const stores = outcomes.batches >= answeredBefore + senders;
      if (pid === undefined || killed.includes(pid) || !stores) continue;
      await sleep(Math.random() * killAfterMsMax, ending);
      if (system.pids().metering !== pid) continue;
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
      answeredBefore = outcomes.batches;
    }
  }

  function usageOf(customerId: string, meterId: string, from: string, to: string): bigint {
    return [...log.values()]
      .filter((event) => event.customerId === customerId && event.meterId === meterId)
      .filter(({ timestamp }) => timestamp >= from && timestamp < to)
      .reduce((sum, { quantity }) => sum + fixedPoint(quantity), 0n);
  }

  test('was killed repeatedly', () => {
    expect(killed.length).toBeGreaterThanOrEqual(killsMin);
    expect(outcomes.tries).toBeGreaterThan(outcomes.batches);
    expect(outcomes.duplicates).toBeGreaterThan(0);
    expect(outcomes.accepted).toBeLessThanOrEqual(log.size);
  });

  test('stores each acknowledged event once as it was sent, and nothing else', async () => {
    // The last kill may have been just before.
    await eventually(async () => {
      expect((await sandbox.get('/events?perPage=1')).status).toBe(200);
    });
    const stored = await sandbox.all('/events');
    const shown = stored.map(({ eventId, customerId, meterId, quantity, timestamp }) => ({
      eventId,
      customerId,
      meterId,
      quantity,
      timestamp,
    }));
    const byId = (a: SentEvent, b: SentEvent) => (a.eventId < b.eventId ? -1 : 1);
    expect(shown.toSorted(byId)).toEqual([...log.values()].toSorted(byId));
    expect(new Set(stored.map(({ id }) => id as string)).size).toBe(log.size);
  });

  test('counts each acknowledged event once in the state of its customer', async () => {
    for (const customerId of [...subscribed, unsubscribed]) {
      const state: any[] = await client.get(`/customers/${customerId}/state`);
      expect(state.map(({ meterId }) => meterId as string).toSorted()).toEqual(
        meters.map(({ id }) => id).toSorted(),
      );
      for (const { meterId, usage, periodStart, periodEnd } of state) {
        expect(fixedPoint(usage)).toBe(usageOf(customerId, meterId, periodStart, periodEnd));
      }
    }
  });

  test('bills each acknowledged event once', async () => {
    for (const customerId of subscribed) {
      const [subscription] = await sandbox.all(`/subscriptions?customerId=${customerId}`);
      const path = `/subscriptions/${String(subscription.id)}/cancel`;
      await client.post(200, path, { atPeriodEnd: false });
      const final = await finalInvoice(subscription);
      expect(final.lineItems).toHaveLength(meters.length);
      for (const { meterId, quantity, amount } of final.lineItems) {
        const usage = usageOf(customerId, meterId, subscription.startAt, '9999');
        expect(fixedPoint(quantity)).toBe(usage);
        expect(BigInt(amount)).toBe(roundedHalfUp(usage));
      }
    }
  });

  test(
    'violates no invariant',
    async () => {
      await expectInvariants(system, sandbox, { timeoutMs: settleTimeoutMs });
    },
    settleTimeoutMs + 30_000,
  );

  async function finalInvoice({ id }: { id: string }): Promise<any> {
    const answer = await client.answer(async () => {
      const list = await sandbox.get(`/invoices?subscriptionId=${id}`);
      const isThere = list.body.data?.some((one: any) => one.billingReason === cancelReason);
      return isThere === true ? list : { ...list, status: 503 };
    });
    return answer.body.data.find((one: any) => one.billingReason === cancelReason);
  }
});

const cancelReason = 'SUBSCRIPTION_CANCEL';

/** Decimals, and occasionally a negative correction. */
function quantityOf(number: number): string {
  return number % 11 === 0 ? '-0.3' : `${String(number % 13)}.${String((number % 9) + 1)}`;
}

function roundedHalfUp(exact: bigint): bigint {
  return (2n * exact + one) / (2n * one);
}

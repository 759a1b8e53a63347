import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { Answer } from '../support/api-client';
import { PersistentClient } from '../support/persistent-client';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const pathOf = ({ id }: { id: string }) => `/subscriptions/${id}/changes`;

// Calls and work of the clock at the same time: in each order the subscription, its changes and
// invoices, and the rows of price migrations agree.
describe('a change', () => {
  let scenario: Scenario;
  let calls: PersistentClient;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
    calls = new PersistentClient(begun.client);
  });

  const subscriptionsTo = async (productId: string, count: number): Promise<any[]> => {
    const { id: customerId } = await scenario.customer();
    const subscriptions = [];
    for (let index = 0; index < count; index += 1) {
      const authorizedTransactionId = `${cards.good}_${String(index)}`;
      const body = { customerId, productId, authorizedTransactionId };
      subscriptions.push(await scenario.client.subscribe(body));
    }
    return subscriptions;
  };
  /** Asks for a change until there is an answer, again under the same key. */
  const ask = (subscription: { id: string }, body: object): Promise<Answer> => {
    const key = { 'Idempotency-Key': newId() };
    return calls.answer(() => scenario.client.post(pathOf(subscription), body, key));
  };
  const changesOf = (subscription: { id: string }): Promise<any[]> =>
    scenario.client.all(pathOf(subscription));

  /** Does something with each, two at a time, so that some come early and others late. */
  const inLanes = async <T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> => {
    const waiting = [...all];
    const lane = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await act(one);
    };
    await Promise.all([lane(), lane()]);
  };

  describe('of a daily subscription', () => {
    const dayMs = 86_400_000;
    const amount = 500_000_000;
    const [start, end, nextEnd] = ['2026-06-01', '2026-06-02', '2026-06-03'].map((day) =>
      Date.parse(`${day}T00:00:00.000Z`),
    ) as [number, number, number];
    /** Part of an amount for the rest of a day, rounded half up. */
    const restOf = (whole: number, until: number, at: number) =>
      Math.floor((2 * whole * (until - at) + dayMs) / (2 * dayMs));

    // A millisecond of three more units costs 17, so that it is paid first.
    test.each([
      ['the instant of', '2026-06-02T00:00:00.000Z'],
      ['the millisecond after', '2026-06-02T00:00:00.001Z'],
    ])('and the renewal up to %s its time have one outcome each way', async (_name, until) => {
      const price = { amount, type: 'PER_UNIT', billingInterval: 'DAILY' };
      const subscriptions = await subscriptionsTo((await scenario.product(price)).id, 6);
      await scenario.advanceTo('2026-06-01T23:59:59.999Z');
      await Promise.all([
        calls.advanceTo(until),
        inLanes(subscriptions, async (one) => {
          await calls.post(201, pathOf(one), { quantity: 4 });
        }),
      ]);
      await scenario.client.untilIdle();
      for (const subscription of subscriptions) await expectOneOutcome(subscription);
      await scenario.advanceTo('2026-06-03');
      for (const subscription of subscriptions) {
        const { quantity } = await scenario.read(subscription);
        const ofDay = (await scenario.invoices(subscription)).filter(
          ({ billingReason, periodStart }) =>
            billingReason === 'SUBSCRIPTION_CYCLE' && Date.parse(String(periodStart)) === nextEnd,
        );
        expect(ofDay).toMatchObject([{ total: quantity * amount, status: 'PAID' }]);
      }
    });

    async function expectOneOutcome(subscription: any): Promise<void> {
      const [made, ...others] = await changesOf(subscription);
      expect(others).toEqual([]);
      const isApplied = made.status === 'APPLIED';
      expect(await scenario.read(subscription)).toMatchObject({
        ...{ quantity: isApplied ? 4 : 1, pendingChange: null, status: 'ACTIVE' },
        currentPeriodStart: new Date(end).toISOString(),
      });
      const invoices = await scenario.invoices(subscription);
      const ofReason = (reason: string) =>
        invoices.filter(({ billingReason }) => billingReason === reason);
      const at = Date.parse(made.effectiveAt as string);
      const periodStart = Date.parse(made.from.currentPeriodStart as string);
      const isBefore = periodStart === start;
      expect(isBefore ? at <= end : at >= end).toBe(true);
      const periodEnd = isBefore ? end : nextEnd;
      const difference = restOf(4 * amount, periodEnd, at) - restOf(amount, periodEnd, at);
      expect(ofReason('SUBSCRIPTION_CYCLE').map(({ total }) => total)).toEqual([
        isApplied && isBefore ? 4 * amount : amount,
      ]);
      const shown = ofReason('SUBSCRIPTION_CHANGE').map((one) => [
        ...[one.status, one.total, one.amountCredited],
      ]);
      if (isApplied) {
        expect(shown).toEqual(difference === 0 ? [] : [['PAID', difference, 0]]);
        return;
      }
      // The renewal came first: before the invoice, before its payment, or while that ran.
      expect(made).toMatchObject({ status: 'FAILED', failure: { code: 'superseded' } });
      expect([[], [['VOID', difference, 0]], [['PAID', difference, difference]]]).toContainEqual(
        shown,
      );
    }
  });

  /** A product whose price has risen from 1000 to 1500, with subscriptions to the former price. */
  async function risen(count: number) {
    const { client } = scenario;
    const { id, priceId: fromPriceId } = await scenario.product({ amount: 1000, type: 'PER_UNIT' });
    const subscriptions = await subscriptionsTo(id as string, count);
    const path = `/products/${String(id)}`;
    const answer = client.request('PATCH', path, { body: { amount: 1500 } });
    const { priceId: toPriceId } = await client.expect(200, answer);
    return { subscriptions, migration: { fromPriceId, toPriceId } };
  }

  const ended = (id: string): Promise<any> =>
    eventually(async () => {
      const job = await calls.get(`/price-migrations/${id}`);
      expect(job.status).not.toBe('RUNNING');
      return job;
    });
  const rowsOf = (id: string): Promise<any[]> =>
    scenario.client.all(`/price-migrations/${id}/subscriptions`);

  /** Waits until each row of a job says what has become of its change; returns them by result. */
  const expectRows = async (job: any, subscriptions: readonly any[]): Promise<void> => {
    const results = { PENDING: 'SCHEDULED', APPLIED: 'APPLIED', CANCELED: 'CANCELED' } as const;
    const wanted: [string, string, string | null][] = [];
    for (const subscription of subscriptions) {
      const changes = await changesOf(subscription);
      const own = changes.filter(({ migrationId }) => migrationId === job.id);
      expect(own.length).toBeLessThanOrEqual(1);
      const [change] = own;
      const result =
        change === undefined ? 'SKIPPED' : results[change.status as keyof typeof results];
      wanted.push([subscription.id, result, change?.id ?? null]);
    }
    await eventually(async () => {
      const rows = await rowsOf(String(job.id));
      const shown = rows.map(({ subscriptionId, result, changeId }) => [
        ...[subscriptionId, result, changeId],
      ]);
      expect(shown.toSorted()).toEqual(wanted.toSorted());
      for (const { result, reason } of rows) {
        expect(reason).toBe(result === 'SKIPPED' ? 'CHANGE_PENDING' : null);
      }
    });
  };

  test('a price migration and the deletion of what waits agree on each subscription', async () => {
    const { client } = scenario;
    const { subscriptions, migration } = await risen(6);
    await scenario.advanceTo('2026-06-16');
    const waiting = new Map<string, string>();
    for (const subscription of subscriptions.slice(0, 4)) {
      const body = { quantity: 3, at: 'PERIOD_END' };
      waiting.set(subscription.id as string, (await scenario.change(subscription, body)).id);
    }
    const remove = async (subscription: any, changeId: string) => {
      const path = `${pathOf(subscription)}/${changeId}`;
      const { status } = await calls.answer(() => client.delete(path));
      expect([204, 409]).toContain(status);
    };
    const post = async (subscription: any, body: object) => {
      // Another change of the same subscription is being paid.
      expect([201, 409]).toContain((await ask(subscription, body)).status);
    };
    const [{ id }] = await Promise.all([
      calls.post(201, '/price-migrations', migration),
      inLanes(subscriptions, async (subscription) => {
        const first = waiting.get(subscription.id as string);
        const { pendingChange } = await scenario.read(subscription);
        await Promise.all([
          ...(first === undefined ? [] : [remove(subscription, first)]),
          ...(pendingChange === null ? [] : [remove(subscription, pendingChange.id as string)]),
          post(subscription, { quantity: 2, at: 'NOW' }),
          ...(first === undefined ? [] : [post(subscription, { quantity: 5, at: 'PERIOD_END' })]),
        ]);
      }),
    ]);
    const job = await ended(String(id));
    await scenario.client.untilIdle();
    expect(job).toMatchObject({ status: 'COMPLETE', total: 6, processed: 6 });
    expect(Number(job.scheduled) + Number(job.skipped)).toBe(6);
    await expectRows(job, subscriptions);

    const expected = new Map<string, number>();
    for (const subscription of subscriptions) {
      const { pendingChange, items } = await scenario.read(subscription);
      const pending = (await changesOf(subscription)).filter(({ status }) => status === 'PENDING');
      expect(pending).toEqual(pendingChange === null ? [] : [pendingChange]);
      const [{ quantity, price }] = pendingChange?.to.items ?? items;
      expected.set(subscription.id as string, quantity * price.amount);
    }
    await scenario.advanceTo('2026-07-01');
    for (const subscription of subscriptions) {
      const renewal = (await scenario.invoices(subscription)).at(-1);
      expect(renewal).toMatchObject({ billingReason: 'SUBSCRIPTION_CYCLE', status: 'PAID' });
      expect(renewal.total).toBe(expected.get(subscription.id as string));
    }
    await expectRows(job, subscriptions);
  });

  test('of a price migration, its deletion, the end of the job and the renewal agree', async () => {
    const { client } = scenario;
    const { subscriptions, migration } = await risen(8);
    const { id } = await calls.post(201, '/price-migrations', migration);
    const job = await ended(String(id));
    expect(job).toMatchObject({ status: 'COMPLETE', scheduled: 8 });
    await scenario.advanceTo('2026-06-30T23:59:59.999Z');
    const pending = new Map<string, string>();
    for (const subscription of subscriptions) {
      const { pendingChange } = await scenario.read(subscription);
      pending.set(subscription.id as string, pendingChange.id as string);
    }
    const deleted = new Map<string, number>();
    await Promise.all([
      calls.advanceTo('2026-07-01T00:00:00.000Z'),
      inLanes(subscriptions.slice(0, 4), async (one) => {
        const path = `${pathOf(one)}/${String(pending.get(one.id as string))}`;
        const { status } = await calls.answer(() => client.delete(path));
        deleted.set(one.id as string, status);
      }),
      calls.post(200, `/price-migrations/${String(id)}/cancel`),
    ]);
    await scenario.client.untilIdle();
    for (const subscription of subscriptions) {
      const [change, ...others] = await changesOf(subscription);
      expect(others).toEqual([]);
      expect(['APPLIED', 'CANCELED']).toContain(change.status);
      const isApplied = change.status === 'APPLIED';
      const status = deleted.get(subscription.id as string);
      if (status !== undefined) expect(status).toBe(isApplied ? 409 : 204);
      const [first, renewal, ...more] = await scenario.invoices(subscription);
      expect([first.total, renewal.total, more.length]).toEqual([1000, isApplied ? 1500 : 1000, 0]);
      expect(await scenario.read(subscription)).toMatchObject({
        ...{ pendingChange: null, price: { amount: isApplied ? 1500 : 1000 } },
      });
    }
    await expectRows(job, subscriptions);
  });

  test('and a pause at once have one outcome each way', async () => {
    const { client } = scenario;
    const { id: productId } = await scenario.product({ amount: 1000, type: 'PER_UNIT' });
    const subscriptions = await subscriptionsTo(productId as string, 5);
    await scenario.advanceTo('2026-06-16');
    for (const subscription of subscriptions) {
      const bodies = [
        { quantity: 3 },
        { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' },
        { quantity: 5 },
      ];
      const answers = await Promise.all(bodies.map((body) => ask(subscription, body)));
      for (const { status } of answers) expect([201, 409]).toContain(status);
      await client.untilIdle();
      const { phase, quantity, pausedAt } = await scenario.read(subscription);
      const { data } = await client.expect(200, client.get(pathOf(subscription)));
      const applied = data.filter(({ status }: any) => status === 'APPLIED');
      expect(applied.some(({ kind }: any) => kind === 'PAUSE')).toBe(phase === 'PAUSED');
      expect(pausedAt === null).toBe(phase !== 'PAUSED');
      const quantities = applied.map(({ to }: any) => to.items[0].quantity);
      expect([1, ...quantities]).toContain(quantity);
    }
  });

  test('takes the balance of one of 20 tokens that have shown all of it', async () => {
    const { client } = scenario;
    const subscriptions = await subscriptionsTo((await scenario.product({ amount: 10000 })).id, 20);
    const [{ customerId }] = subscriptions;
    const { id: productId } = await scenario.product({ amount: 30000 });
    const entry = { customerId, amount: 10000, description: 'Goodwill' };
    await client.expect(201, client.post('/balance-entries', entry));
    await scenario.advanceTo('2026-06-16');
    const shown: any[] = [];
    for (const subscription of subscriptions) {
      const asked = { kind: 'CHANGE', subscriptionId: subscription.id, change: { productId } };
      shown.push(await client.expect(200, client.post('/previews', asked)));
    }
    const answers = await Promise.all(
      subscriptions.map((subscription, index) =>
        ask(subscription, { productId, previewToken: shown[index]?.token }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const { status, body } of refused) {
      expect([status, body.error]).toEqual([409, 'Preview is stale: balance']);
    }
    await eventually(async () => {
      const path = `/balances?customerId=${String(customerId)}`;
      const { data } = await client.expect(200, client.get(path));
      expect(data).toMatchObject([{ balance: 0 }]);
    });
  });
});

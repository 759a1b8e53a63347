import { monotonicMs } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import type { ApiClient } from '../support/api-client';
import { isNightly } from '../support/rounds';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { cards } from './scenario';

const count = isNightly ? 10_000 : 50;
const concurrentMax = 16;
const startsAt = '2026-01-01T00:00:00Z';
const endsAt = '2027-01-01T00:00:00Z';
const months = 12;
// For an advance that hangs.
const timeoutMs = 4 * 60 * 60_000;

describe('a sandbox with many subscriptions', () => {
  let system: OwnTestSystem;
  let sandbox: ApiClient;
  let checkout: Awaited<ReturnType<typeof connectMongo>>;

  beforeAll(async () => {
    system = await startTestSystem({ processes: true });
    checkout = await connectMongo({ ...system.databaseOf('checkout'), service: 'test' });
    sandbox = await system.live.manualSandbox(startsAt);
  });

  afterAll(async () => {
    await checkout.close();
    await system.stop();
  });

  /** Creates paid subscriptions of one customer. */
  async function subscribe(): Promise<void> {
    const create = (path: string, body: object) => sandbox.expect(201, sandbox.post(path, body));
    const { id: customerId } = await create('/customers', { email: 'a@example.com' });
    const plan = { name: 'Monthly', type: 'FLAT', currency: 'USD', amount: 2900 };
    const { id: productId } = await create('/products', { ...plan, billingInterval: 'MONTHLY' });
    let started = 0;
    const createSome = async () => {
      while (started < count) {
        started += 1;
        const authorizedTransactionId = `${cards.good}_${String(started)}`;
        await create('/subscriptions', { customerId, productId, authorizedTransactionId });
      }
    };
    await Promise.all(Array.from({ length: concurrentMax }, createSome));
  }

  /** One advance; the client stops waiting for it after ten minutes. */
  async function advanceYear(): Promise<void> {
    for (;;) {
      try {
        await sandbox.advanceTo(endsAt);
        return;
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError') throw error;
      }
    }
  }

  test(
    'renews each of them once a month in an advance by a year',
    async () => {
      await subscribe();
      const startedMs = monotonicMs();
      await advanceYear();
      const seconds = (monotonicMs() - startedMs) / 1_000;

      const billed = await checkout.db
        .collection('invoices')
        .aggregate<{ count: number | bigint }>([
          { $group: { _id: '$subscriptionId', count: { $sum: 1 } } },
        ])
        .toArray();
      // The first month was billed at the creation.
      expect(billed.map((one) => Number(one.count))).toEqual(Array(count).fill(1 + months));

      const renewals = count * months;
      const rate = renewals / seconds;
      const hours = (100_000 * months) / rate / 3_600;
      process.stderr.write(
        `${String(renewals)} renewals of ${String(count)} subscriptions in ${seconds.toFixed(0)} s, ` +
          `${rate.toFixed(0)} a second; a year of 100,000 subscriptions would take ${hours.toFixed(1)} h\n`,
      );
    },
    timeoutMs,
  );
});

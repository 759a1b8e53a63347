import type { Stored } from '@billing/chassis/aggregate';
import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import type { Transition } from '@billing/kernel/transition';
import { aPrice } from '../testing/fixtures';
import { cancelForCaller } from './migration-rpc';
import { type PriceMigration, startMigration } from './price-migration';

test('a cancellation whose wait cannot read the database is answered as it was stored', async () => {
  const product = { productId: 'product', productName: 'Pro', price: aPrice({ id: 'to' }) };
  const { state } = startMigration(
    {
      ...{ id: 'migration', exchange: { fromPriceId: 'from', product }, fromProductId: 'product' },
      ...{ movesMeters: false, dryRun: false, total: 0, metadata: {} },
    },
    { realNow: systemClock.now() },
  );
  type Rule = (current: PriceMigration, now: Date) => Transition<PriceMigration>;
  const mutate = (_id: string, rule: Rule) =>
    Promise.resolve({ state: rule(state, systemClock.now()).state, version: 2 });
  const migrations = {
    within: () => ({ mutate }),
    waitFor: () => Promise.reject(new Error('connection closed')),
  } as unknown as Parameters<typeof cancelForCaller>[2]['migrations'];
  const logger = { warn: jest.fn() } as never;
  const dependencies = { migrations, clock: systemClock, logger };
  const canceled: Stored<PriceMigration> = await cancelForCaller(
    { id: 'migration' },
    testContext(),
    dependencies,
  );
  expect(canceled).toMatchObject({ version: 2, state: { status: 'CANCELED' } });
});

import { type RunningService, Service } from '@billing/chassis/service';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newId } from '@billing/chassis/ids';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import type { Product } from './product';
import { productDefinition } from './store';

const configuration = testServiceConfiguration('catalog');
let products: AggregateCollection<Product>;
let running: RunningService;

beforeAll(async () => {
  const service = await Service.open('catalog', configuration);
  products = service.aggregates(productDefinition);
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

function aProduct(amount: bigint): Product {
  return {
    id: newId(),
    name: 'Team',
    description: null,
    active: true,
    metadata: {},
    lookupKey: null,
    taxCategory: 'standard',
    price: {
      id: newId(),
      number: 1,
      type: 'FLAT',
      currency: 'USD',
      amount,
      billingInterval: 'MONTHLY',
      intervalCount: 1,
      trialDays: null,
      tiers: null,
      metadata: {},
      lookupKey: null,
      createdAt: new Date('2026-01-31T00:00:00.000Z'),
    },
    meterPrices: {
      number: 1,
      since: new Date('2026-01-31T00:00:00.000Z'),
      prices: [
        {
          id: newId(),
          meterId: newId(),
          type: 'PER_UNIT',
          unitAmount: '0.000000000001',
          tiers: null,
          includedUnits: '0',
          packageSize: null,
          minimumAmount: amount,
          maximumAmount: null,
          metadata: { 'a.b': 1 },
          createdAt: new Date('2026-01-31T00:00:00.000Z'),
        },
      ],
    },
  };
}

// Most of these amounts are invalid by the rules; storing them shows that no amount passes through
// a float or an unsigned integer.
test.each([
  0n,
  1n,
  -1n,
  2n ** 31n - 1n,
  2n ** 31n,
  -(2n ** 31n) - 1n,
  99_999_999_999n,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
])('an amount of %s is read back from the database exactly', async (amount) => {
  const context = testContext();
  const product = aProduct(amount);
  await products.within(context).insert({ state: product, events: [], commands: [] });

  const { state } = await products.within(context).get(product.id);
  expect(state).toEqual(product);
});

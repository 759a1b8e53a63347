import { systemClock } from '@billing/chassis/clock';
import {
  serveInTest,
  type TestServer,
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import type { RunningService } from '@billing/chassis/service';
import {
  BillingInterval,
  type CatalogServiceServer,
  CatalogServiceService,
  type MeterPrice,
  MeterPricingType,
  PricingType,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  Aggregation,
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { start } from './service';

const meters = new Set<string>();
let metering: TestServer;
let service: RunningService;
let catalog: Peer<CatalogServiceServer>;
let configuration: Parameters<typeof start>[0];

beforeAll(async () => {
  const dependencies = {
    service: 'metering',
    clock: systemClock,
    logger: createLogger({ service: 'metering', level: 'silent' }),
  };
  metering = await serveInTest([
    rpcService<MeteringServiceServer>(MeteringServiceService, meteringRole())(dependencies),
  ]);
  configuration = testServiceConfiguration('catalog-meter-prices', {
    METERING_ADDRESS: metering.address,
  });
  service = await start(configuration);
  catalog = connectPeer<CatalogServiceServer>(CatalogServiceService, {
    address: service.address,
    service: 'test',
  });
});

afterAll(async () => {
  catalog.close();
  await service.stop();
  await metering.stop({ drainDelayMs: 0, graceMs: 200 });
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

/** Stand-in for metering, with the methods that catalog calls. */
function meteringRole(): AsyncHandlers<MeteringServiceServer> {
  const known = { getMeters: async ({ ids }: { ids: string[] }) => ({ meters: found(ids) }) };
  const unused = () => Promise.reject(new Error('Not used by these tests'));
  return new Proxy(known as unknown as AsyncHandlers<MeteringServiceServer>, {
    get: (target, name) => (Reflect.get(target, name) as unknown) ?? unused,
  });
}

function found(ids: readonly string[]) {
  return ids
    .filter((id) => meters.has(id))
    .map((id) => ({
      id,
      organizationId: id,
      name: 'Calls',
      aggregation: Aggregation.AGGREGATION_SUM,
      active: true,
      metadata: {},
      createdAt: undefined,
      updatedAt: undefined,
      version: 1n,
    }));
}

function newMeter(): string {
  const id = newId();
  meters.add(id);
  return id;
}

function perUnit(meterId: string, unitAmount: string): MeterPrice {
  return {
    id: '',
    productId: '',
    meterId,
    type: MeterPricingType.METER_PRICING_TYPE_UNSPECIFIED,
    unitAmount,
    tiers: [],
    metadata: undefined,
    createdAt: undefined,
  };
}

function day(number: number) {
  return new Date(Date.UTC(2026, 0, number));
}

async function newProduct(): Promise<string> {
  const { product } = await catalog.createProduct(
    {
      name: 'Team',
      type: PricingType.PRICING_TYPE_FLAT,
      currency: 'USD',
      amount: 2900n,
      billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
      metadata: undefined,
      tiers: [],
    },
    context(1),
  );
  if (product === undefined) throw new Error('No product came back');
  return product.id;
}

const { tenant } = testContext({ now: day(1) });
const context = (dayNumber: number) => ({ ...testContext(), tenant, now: day(dayNumber) });

test('the set in force at an instant is returned, however many sets followed', async () => {
  const productId = await newProduct();
  const meterId = newMeter();
  for (const [dayNumber, rate] of [
    [2, '1'],
    [4, '2'],
    // The last of two sets at the same instant counts.
    [6, '3'],
    [6, '4'],
    [8, '5'],
  ] as const) {
    const prices = [perUnit(meterId, rate)];
    await catalog.setMeterPrices({ productId, prices }, context(dayNumber));
  }
  const inForce = async (dayNumber: number) => {
    const answer = await catalog.getMeterPrices({ productId, at: day(dayNumber) }, context(9));
    return [answer.set, ...answer.prices.map(({ unitAmount }) => unitAmount)];
  };
  expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(inForce))).toEqual([
    [0],
    [0],
    [1, '1'],
    [1, '1'],
    [2, '2'],
    [2, '2'],
    [4, '4'],
    [4, '4'],
    [5, '5'],
    [5, '5'],
  ]);
  const third = await catalog.getMeterPrices({ productId, at: undefined, set: 3 }, context(9));
  expect(third.prices).toMatchObject([{ meterId, unitAmount: '3', createdAt: day(6) }]);
});

test('a batch of questions gets the same answers as single calls, and no answer where one fails', async () => {
  const [productId, another] = [await newProduct(), await newProduct()];
  const prices = [perUnit(newMeter(), '1')];
  await catalog.setMeterPrices({ productId, prices }, context(2));
  const questions = [
    { productId, at: day(1) },
    { productId, at: day(2) },
    { productId: newId(), at: day(2) },
    { productId: another, at: day(2) },
    { productId, at: undefined, set: 1 },
  ];
  const { answers } = await catalog.getMeterPriceSets({ questions }, context(9));
  const alone = questions.map((question) =>
    catalog.getMeterPrices(question, context(9)).catch(() => undefined),
  );
  expect(answers.map(({ found }) => found)).toEqual(await Promise.all(alone));
  expect(answers.map(({ found }) => found?.set)).toEqual([0, 1, undefined, 0, 1]);
  for (const count of [0, 101]) {
    const asked = { questions: Array.from({ length: count }, () => ({ productId, at: day(1) })) };
    await expect(catalog.getMeterPriceSets(asked, context(9))).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  }
});

test('a product is unknown in other environments', async () => {
  const productId = await newProduct();
  const stranger = testContext();
  const notFound = expect.objectContaining({ kind: 'not_found', message: 'Product not found' });
  await expect(catalog.setMeterPrices({ productId, prices: [] }, stranger)).rejects.toEqual(
    notFound,
  );
  await expect(catalog.getMeterPrices({ productId, at: day(1) }, stranger)).rejects.toEqual(
    notFound,
  );
});

test('an unknown meter is reported with its position, and nothing is stored', async () => {
  const productId = await newProduct();
  const prices = [perUnit(newMeter(), '1'), perUnit(newId(), '1'), perUnit('no id', '1')];
  await expect(catalog.setMeterPrices({ productId, prices }, context(2))).rejects.toMatchObject({
    kind: 'invalid_input',
    fields: { prices: ['1.meterId: Meter not found', '2.meterId: Meter not found'] },
  });
  const { product } = await catalog.getProduct({ id: productId }, context(2));
  expect(product).toMatchObject({ version: 1n, meterPrices: [], meterPriceSet: 0 });
});

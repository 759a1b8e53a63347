import type { Peer } from '@billing/chassis/peer';
import { testContext, testServiceConfiguration, callService } from '@billing/chassis/testing';
import {
  BillingInterval,
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateProductRequest,
  PricingType,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import { start } from './service';

// No test here prices a meter, so metering is not called.
const configuration = testServiceConfiguration('catalog', { METERING_ADDRESS: '127.0.0.1:1' });
let catalog: Peer<CatalogServiceServer>;

callService<CatalogServiceServer, typeof configuration>(
  { definition: CatalogServiceService, configuration, start },
  (peer) => {
    catalog = peer;
  },
);

const minimal: CreateProductRequest = {
  name: 'Team',
  type: PricingType.PRICING_TYPE_FLAT,
  currency: 'USD',
  amount: 2900n,
  billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
  metadata: undefined,
  tiers: [],
};

async function create(
  request: Partial<CreateProductRequest> = {},
  context = testContext(),
): Promise<Product> {
  const { product } = await catalog.createProduct({ ...minimal, ...request }, context);
  if (product === undefined) throw new Error('No product came back');
  return product;
}

const uuidV5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a product', () => {
  test('is read back as created, in every field', async () => {
    const context = testContext({ now: new Date('2026-01-31T12:34:56.789Z') });
    const metadata = { 'a.b': 'dotted', n: -1.5, yes: true, no: false, none: null, toString: 'x' };
    const created = await create(
      {
        name: 'Team',
        description: 'For teams – 10 €',
        currency: 'kwd',
        amount: 99_999_999_999n,
        billingInterval: BillingInterval.BILLING_INTERVAL_YEARLY,
        intervalCount: 5,
        trialDays: 730,
        active: false,
        metadata,
        lookupKey: 'team.yearly',
      },
      context,
    );

    expect(created).toEqual({
      id: expect.stringMatching(uuidV7),
      organizationId: context.tenant.organizationId,
      name: 'Team',
      description: 'For teams – 10 €',
      active: false,
      metadata,
      lookupKey: 'team.yearly',
      taxCategory: 'standard',
      price: {
        id: expect.stringMatching(uuidV5),
        productId: created.id,
        type: PricingType.PRICING_TYPE_FLAT,
        currency: 'KWD',
        amount: 99_999_999_999n,
        billingInterval: BillingInterval.BILLING_INTERVAL_YEARLY,
        intervalCount: 5,
        trialDays: 730,
        active: true,
        createdAt: context.now,
        updatedAt: context.now,
        metadata,
        lookupKey: 'team.yearly',
        tiers: [],
      },
      createdAt: context.now,
      updatedAt: context.now,
      version: 1n,
      meterPrices: [],
      meterPriceSet: 0,
    });
    expect(created.price?.id).not.toBe(created.id);
    expect(await catalog.getProduct({ id: created.id }, context)).toEqual({ product: created });
  });

  test('is read back with defaults if only required fields were sent', async () => {
    const context = testContext();
    const created = await create({}, context);

    expect(created).toMatchObject({ active: true, metadata: {}, price: { intervalCount: 1 } });
    expect(created.description).toBeUndefined();
    expect(created.lookupKey).toBeUndefined();
    expect(created.price?.trialDays).toBeUndefined();
    expect(await catalog.getProduct({ id: created.id }, context)).toEqual({ product: created });
  });

  test('distinguishes zero from absent', async () => {
    const context = testContext();
    const { id } = await create({ amount: 0n, trialDays: 0, description: '' }, context);

    const { product } = await catalog.getProduct({ id }, context);
    expect(product).toMatchObject({ description: '', price: { amount: 0n, trialDays: 0 } });
  });

  test.each([
    BillingInterval.BILLING_INTERVAL_DAILY,
    BillingInterval.BILLING_INTERVAL_WEEKLY,
    BillingInterval.BILLING_INTERVAL_MONTHLY,
    BillingInterval.BILLING_INTERVAL_QUARTERLY,
    BillingInterval.BILLING_INTERVAL_YEARLY,
    BillingInterval.BILLING_INTERVAL_ONE_TIME,
  ])('stores billing interval %i', async (billingInterval) => {
    const context = testContext();
    const { id } = await create({ billingInterval }, context);

    const { product } = await catalog.getProduct({ id }, context);
    expect(product?.price?.billingInterval).toBe(billingInterval);
  });

  test('stores its tiers in one canonical form', async () => {
    const context = testContext();
    const { id } = await create(
      {
        type: PricingType.PRICING_TYPE_VOLUME,
        tiers: [
          { upTo: '100', unitAmount: '10.50' },
          { unitAmount: '8', flatAmount: '99999999999' },
        ],
      },
      context,
    );
    const { product } = await catalog.getProduct({ id }, context);
    expect(product?.price).toMatchObject({
      type: PricingType.PRICING_TYPE_VOLUME,
      tiers: [
        { upTo: '100', unitAmount: '10.5', flatAmount: '0' },
        { upTo: undefined, unitAmount: '8', flatAmount: '99999999999' },
      ],
    });
  });

  test('is returned by a query for several ids, together with other products of the environment', async () => {
    const context = testContext();
    const made = [await create({}, context), await create({ name: 'Other' }, context)];
    const foreign = await create();
    const ids = [...made, foreign, ...made].map(({ id }) => id);
    const { products: found } = await catalog.getProducts({ ids: [...ids, 'x'] }, context);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(made));
    const tooMany = { ids: Array.from({ length: 101 }, () => 'x') };
    await expect(catalog.getProducts(tooMany, context)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { ids: ['Must have at most 100 elements'] },
    });
  });

  test('is unknown in another environment', async () => {
    const { id } = await create();

    await expect(catalog.getProduct({ id }, testContext())).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'PRODUCT_NOT_FOUND',
      message: 'Product not found',
    });
  });

  test.each([
    ['unknown', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['malformed', 'not-an-id'],
    ['empty', ''],
    ['hostile', '$where\u0000{"$gt":""}'],
    ['huge', 'x'.repeat(100_000)],
  ])('is not found by an id that is %s', async (_case, id) => {
    await expect(catalog.getProduct({ id }, testContext())).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'PRODUCT_NOT_FOUND',
      message: 'Product not found',
    });
  });
});

describe('a refusal', () => {
  test('reports all problems of the request', async () => {
    const request = {
      name: '',
      type: PricingType.UNRECOGNIZED,
      currency: 'XYZ',
      amount: -(2n ** 63n),
      billingInterval: BillingInterval.UNRECOGNIZED,
      intervalCount: -(2 ** 31),
      trialDays: 2 ** 31 - 1,
      lookupKey: 'Team Plan',
      metadata: { nested: {} },
    };
    await expect(create(request)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: {
        name: ['Required'],
        type: ['Invalid pricing type'],
        currency: ['Invalid currency'],
        amount: ['Must be between 0 and 99999999999'],
        billingInterval: ['Invalid billing interval'],
        intervalCount: ['Must be a whole number from 1 to 365'],
        trialDays: ['Must be a whole number from 0 to 730'],
        lookupKey: ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'],
        metadata: ['nested: Must be a string, number, boolean or null'],
      },
    });
  });

  test('reports the required fields of an empty request', async () => {
    const empty = {
      name: '',
      type: PricingType.PRICING_TYPE_UNSPECIFIED,
      currency: '',
      billingInterval: BillingInterval.BILLING_INTERVAL_UNSPECIFIED,
    };
    await expect(create(empty)).rejects.toMatchObject({
      fields: {
        name: ['Required'],
        type: ['Required'],
        currency: ['Required'],
        billingInterval: ['Required'],
      },
    });
  });

  test('rejects a call without a deadline', async () => {
    // The context type forbids this value, but a foreign client can send it.
    const context = { ...testContext(), deadline: Number.POSITIVE_INFINITY as unknown as Date };
    await expect(catalog.getProduct({ id: 'any' }, context)).rejects.toMatchObject({
      kind: 'invalid_input',
      reason: 'DEADLINE_REQUIRED',
    });
  });
});

describe('a lookup key', () => {
  const taken = {
    kind: 'already_exists',
    reason: 'LOOKUP_KEY_TAKEN',
    message: 'Product with this lookupKey already exists',
  };

  test('is assigned to one of 20 concurrent products, and the others are refused', async () => {
    const context = testContext();
    const racing = Array.from({ length: 20 }, () => create({ lookupKey: 'team' }, context));
    const outcomes = await Promise.allSettled(racing);

    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toMatchObject(taken);
  });

  test('can be used once per environment', async () => {
    const context = testContext();
    await create({ lookupKey: 'team' }, context);
    await create({ lookupKey: 'team' });

    await expect(create({ lookupKey: 'team' }, context)).rejects.toMatchObject(taken);
  });

  test('of maximum length is compared up to its last character', async () => {
    const context = testContext();
    const stem = 'k'.repeat(99);
    await create({ lookupKey: `${stem}1` }, context);
    await create({ lookupKey: `${stem}2` }, context);

    await expect(create({ lookupKey: `${stem}1` }, context)).rejects.toMatchObject(taken);
  });

  test('can be absent in any number of products', async () => {
    const context = testContext();
    const products = await Promise.all(Array.from({ length: 20 }, () => create({}, context)));
    expect(new Set(products.map(({ id }) => id)).size).toBe(20);
  });
});

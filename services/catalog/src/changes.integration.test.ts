import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import {
  eventually,
  testContext,
  testServiceConfiguration,
  callService,
} from '@billing/chassis/testing';
import {
  BillingInterval,
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateProductRequest,
  type Price,
  type PriceFilter,
  PricingType,
  type Product,
  type UpdateProductRequest,
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

async function create(
  context: CallContext,
  request: Partial<CreateProductRequest> = {},
): Promise<Product> {
  const { product } = await catalog.createProduct(
    {
      name: 'Team',
      type: PricingType.PRICING_TYPE_FLAT,
      currency: 'USD',
      amount: 2900n,
      billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
      metadata: undefined,
      tiers: [],
      ...request,
    },
    context,
  );
  return present(product);
}

async function update(
  context: CallContext,
  request: Partial<UpdateProductRequest> & Pick<UpdateProductRequest, 'id' | 'updateMask'>,
): Promise<Product> {
  const { product } = await catalog.updateProduct(
    { metadata: undefined, tiers: [], ...request },
    context,
  );
  return present(product);
}

async function priceById(context: CallContext, id: string): Promise<Price> {
  const { price } = await catalog.getPrice({ id }, context);
  return present(price);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}

const unknownProduct = { kind: 'not_found', reason: 'PRODUCT_NOT_FOUND' };

describe('a list', () => {
  test('is newest first and pages with an exact total', async () => {
    const context = testContext();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await create(context)).id);
    const answer = await catalog.listProducts({ page: 2, perPage: 2 }, context);
    expect([answer.products.map(({ id }) => id), answer.total]).toEqual([[ids[2], ids[1]], 5]);
    const past = await catalog.listProducts({ page: 2 ** 31 - 1, perPage: 100 }, context);
    expect(past).toEqual({ products: [], total: 5 });
  });

  test('can be filtered by active, by lookup key, or by both', async () => {
    const context = testContext();
    const sold = await create(context, { lookupKey: 'sold' });
    const retired = await create(context, { lookupKey: 'retired', active: false });
    const listed = async (filter: { active?: boolean; lookupKey?: string }) => {
      const answer = await catalog.listProducts({ page: 1, perPage: 20, ...filter }, context);
      expect(answer.total).toBe(answer.products.length);
      return answer.products.map(({ id }) => id);
    };
    expect(await listed({})).toEqual([retired.id, sold.id]);
    expect(await listed({ active: true })).toEqual([sold.id]);
    expect(await listed({ active: false })).toEqual([retired.id]);
    expect(await listed({ lookupKey: 'sold' })).toEqual([sold.id]);
    expect(await listed({ lookupKey: 'sold', active: false })).toEqual([]);
    expect(await listed({ lookupKey: '' })).toEqual([]);
    expect(await listed({ lookupKey: 'so' })).toEqual([]);
  });

  test('can be filtered by the terms of the current price', async () => {
    const context = testContext();
    const { BILLING_INTERVAL_YEARLY: yearly, BILLING_INTERVAL_ONE_TIME: once } = BillingInterval;
    const monthly = BillingInterval.BILLING_INTERVAL_MONTHLY;
    const ids = [
      await create(context),
      await create(context, { intervalCount: 3 }),
      await create(context, { billingInterval: yearly }),
      await create(context, { billingInterval: once }),
      await create(context, { currency: 'EUR' }),
      await create(context, { active: false }),
    ].map(({ id }) => id);
    const listed = async (price: PriceFilter) => {
      const wanted = { page: 1, perPage: 20, oldestFirst: true, active: true, price };
      const { products, total } = await catalog.listProducts(wanted, context);
      expect(total).toBe(products.length);
      return products.map(({ id }) => ids.indexOf(id));
    };
    expect(await listed({})).toEqual([0, 1, 2, 3, 4]);
    expect(await listed({ currency: 'EUR' })).toEqual([4]);
    expect(await listed({ recurring: true })).toEqual([0, 1, 2, 4]);
    expect(await listed({ recurring: false })).toEqual([3]);
    expect(await listed({ billingInterval: monthly })).toEqual([0, 1, 4]);
    expect(await listed({ billingInterval: monthly, intervalCount: 1 })).toEqual([0, 4]);
    expect(await listed({ billingInterval: once, recurring: true })).toEqual([]);
    const terms = { currency: 'USD', billingInterval: yearly, intervalCount: 1 };
    expect(await listed({ ...terms, recurring: true })).toEqual([2]);
  });

  test('contains nothing of other environments', async () => {
    await create(testContext());
    const page = { page: 1, perPage: 20 };
    expect(await catalog.listProducts(page, testContext())).toEqual({ products: [], total: 0 });
  });
});

describe('an update', () => {
  test('that keeps the amount keeps the price version', async () => {
    const context = testContext({ now: new Date('2026-01-31T12:00:00.000Z') });
    const created = await create(context, { lookupKey: 'team' });
    const later = { ...context, now: new Date('2026-02-28T12:00:00.000Z') };
    const changed = await update(later, {
      id: created.id,
      updateMask: ['name', 'description', 'active', 'metadata', 'lookup_key'],
      name: 'Crew',
      description: 'For crews',
      active: false,
      metadata: { 'a.b': 1 },
      amount: 1n,
    });
    const { lookupKey: _cleared, ...rest } = created;
    expect(changed).toEqual({
      ...rest,
      name: 'Crew',
      description: 'For crews',
      active: false,
      metadata: { 'a.b': 1 },
      updatedAt: later.now,
      version: 2n,
    });
    expect(await catalog.getProduct({ id: created.id }, context)).toEqual({ product: changed });
  });

  test('without a difference writes nothing', async () => {
    const context = testContext();
    const created = await create(context);
    const { id } = created;
    expect(await update(context, { id, updateMask: ['amount'], amount: 2900n })).toEqual(created);
  });

  test('of the amount creates a new version, and the old one stays readable', async () => {
    const context = testContext({ now: new Date('2026-01-31T12:00:00.000Z') });
    const created = await create(context, { metadata: { 'a.b': null }, trialDays: 7 });
    const { id } = created;
    const first = present(created.price);
    const later = { ...context, now: new Date('2026-02-28T12:00:00.000Z') };
    const changed = await update(later, { id, updateMask: ['amount'], amount: 99_999_999_999n });
    const second = present(changed.price);

    expect(second).toEqual({
      ...first,
      id: expect.not.stringContaining(first.id),
      amount: 99_999_999_999n,
      createdAt: later.now,
      updatedAt: later.now,
    });
    expect(await catalog.getPrice({ id: second.id }, context)).toEqual({
      price: second,
      product: changed,
    });
    await eventually(async () => {
      expect(await catalog.getPrice({ id: first.id }, context)).toEqual({
        price: { ...first, active: false, updatedAt: later.now },
        product: changed,
      });
    });
  });

  test('of the amount keeps every version, however many there are', async () => {
    const context = testContext();
    const { id, price } = await create(context, { amount: 0n });
    const versions = [present(price)];
    for (let amount = 1n; amount <= 12n; amount += 1n) {
      const changed = await update(context, { id, updateMask: ['amount'], amount });
      versions.push(present(changed.price));
    }
    expect(new Set(versions.map((version) => version.id)).size).toBe(13);
    await eventually(async () => {
      const stored = await Promise.all(versions.map((version) => priceById(context, version.id)));
      expect(stored.map(({ amount }) => amount)).toEqual(versions.map(({ amount }) => amount));
      expect(stored.filter(({ active }) => active)).toEqual([versions.at(-1)]);
    });
  });

  test('of the amount by two concurrent callers creates two versions, one of them current', async () => {
    const context = testContext();
    const { id, price } = await create(context);
    const [one, other] = await Promise.all(
      [3900n, 4900n].map((amount) => update(context, { id, updateMask: ['amount'], amount })),
    );
    const ids = [price, one?.price, other?.price].map((version) => present(version).id);
    expect(new Set(ids).size).toBe(3);
    const { product } = await catalog.getProduct({ id }, context);
    expect(product?.version).toBe(3n);
    await eventually(async () => {
      const versions = await Promise.all(ids.map((priceId) => priceById(context, priceId)));
      const current = versions.filter(({ active }) => active);
      expect(current).toEqual([product?.price]);
    });
  });

  test('to a lookup key succeeds for one of 20 concurrent products, and the others are refused', async () => {
    const context = testContext();
    const products = await Promise.all(Array.from({ length: 20 }, () => create(context)));
    const outcomes = await Promise.allSettled(
      products.map(({ id }) =>
        update(context, { id, updateMask: ['lookup_key'], lookupKey: 'wanted' }),
      ),
    );
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) {
      expect(reason).toMatchObject({ kind: 'already_exists', reason: 'LOOKUP_KEY_TAKEN' });
    }
  });

  test('that clears a lookup key frees it for another product', async () => {
    const context = testContext();
    const { id } = await create(context, { lookupKey: 'moving' });
    await update(context, { id, updateMask: ['lookup_key'] });
    expect(await create(context, { lookupKey: 'moving' })).toMatchObject({ lookupKey: 'moving' });
  });

  test('of a frozen field is refused under the field name', async () => {
    const context = testContext();
    const { id } = await create(context);
    await expect(
      update(context, { id, updateMask: ['currency', 'billing_interval'] }),
    ).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { currency: ['Cannot be changed'], billingInterval: ['Cannot be changed'] },
    });
  });

  test('of an older version is refused as stale', async () => {
    const context = testContext();
    const { id } = await create(context);
    const dearer = { id, updateMask: ['amount'], amount: 3900n, expectedVersion: 1n };
    expect(await update(context, dearer)).toMatchObject({ version: 2n });
    await expect(update(context, dearer)).rejects.toMatchObject({ reason: 'STALE_VERSION' });
  });

  test.each([
    ['an unknown', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['a malformed', 'not-an-id'],
    ['an empty', ''],
    ['a hostile', '$where\u0000{"$gt":""}'],
  ])('of %s id is refused, and so is a read', async (_case, id) => {
    const context = testContext();
    await expect(update(context, { id, updateMask: ['name'] })).rejects.toMatchObject(
      unknownProduct,
    );
    await expect(catalog.getPrice({ id }, context)).rejects.toMatchObject(unknownProduct);
  });

  test('of an id of another environment is refused, and so is a read', async () => {
    const context = testContext();
    const { id, price } = await create(context);
    const current = await update(context, { id, updateMask: ['amount'], amount: 1n });
    await eventually(() => priceById(context, present(price).id));
    const foreign = testContext();
    const ids = [present(price).id, present(current.price).id];
    for (const priceId of ids) {
      await expect(priceById(foreign, priceId)).rejects.toMatchObject(unknownProduct);
    }
    await expect(update(foreign, { id, updateMask: ['name'], name: 'x' })).rejects.toMatchObject(
      unknownProduct,
    );
    expect(await catalog.getProduct({ id }, context)).toEqual({ product: current });
  });

  test('is never lost among 20 concurrent updates of one product', async () => {
    const context = testContext();
    const { id } = await create(context);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? update(context, { id, updateMask: ['name'], name: `name ${String(index)}` })
          : update(context, { id, updateMask: ['description'], description: String(index) }),
      ),
    );
    const applied = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    for (const outcome of outcomes) {
      // A caller that lost all its retries got "unavailable" and may retry.
      if (outcome.status === 'rejected') expect(outcome.reason.kind).toBe('unavailable');
    }
    const { product } = await catalog.getProduct({ id }, context);
    expect(product?.version).toBe(BigInt(applied.length + 1));
    const last = applied.find(({ value }) => value.version === product?.version);
    expect(last?.value).toEqual(product);
  });
});

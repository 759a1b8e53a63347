import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('pricing types', () => {
  const open = { upTo: null, unitAmount: '5' };
  const withTiers = (tiers: unknown, type = 'TIERED') => ({ ...product, type, tiers });

  test.each(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME'])('%s needs no tiers', async (type) => {
    const created = await api.expect(201, api.post('/products', { ...product, type }));
    expect(created).toMatchObject({ type, tiers: null });
  });

  test.each(['TIERED', 'VOLUME'])('%s accepts tiers and returns them in one form', async (type) => {
    const tiers = [
      { upTo: '100', unitAmount: '10.50' },
      { upTo: '100.000000000001', unitAmount: 99_999_999_999, flatAmount: 7 },
      { upTo: '1000000000000000', unitAmount: '0.000000000001', flatAmount: '0.5' },
      { upTo: null, unitAmount: 0, flatAmount: null },
    ];
    const created = await api.expect(201, api.post('/products', withTiers(tiers, type)));
    expect(created.tiers).toEqual([
      { upTo: '100', unitAmount: '10.5', flatAmount: '0' },
      { upTo: '100.000000000001', unitAmount: '99999999999', flatAmount: '7' },
      { upTo: '1000000000000000', unitAmount: '0.000000000001', flatAmount: '0.5' },
      { upTo: null, unitAmount: '0', flatAmount: '0' },
    ]);
    expect((await api.get(`/products/${String(created.id)}`)).body).toEqual(created);
  });

  test('take 50 tiers', async () => {
    const tiers = Array.from({ length: 49 }, (_, index) => ({
      upTo: String(index + 1),
      unitAmount: '1',
    }));
    const created = await api.expect(201, api.post('/products', withTiers([...tiers, open])));
    expect(created.tiers).toHaveLength(50);
    const tooMany = [...tiers, { upTo: '50', unitAmount: '1' }, open];
    expect(await api.refusedFields('/products', withTiers(tooMany))).toEqual(['tiers']);
  });

  test.each<[string, unknown]>([
    ['none', []],
    ['no list', open],
    ['a text', 'none'],
    ['no objects', [5]],
    ['a closed last tier', [{ upTo: '5', unitAmount: '1' }]],
    ['an open tier before the last', [open, open]],
    ['bounds that fall', [{ upTo: '5', unitAmount: '1' }, { upTo: '4', unitAmount: '1' }, open]],
    ['bounds that stay', [{ upTo: '5', unitAmount: '1' }, { upTo: '5.0', unitAmount: '1' }, open]],
    ['a bound of 0', [{ upTo: '0', unitAmount: '1' }, open]],
    ['a negative bound', [{ upTo: '-1', unitAmount: '1' }, open]],
    ['a bound with an exponent', [{ upTo: '1e3', unitAmount: '1' }, open]],
    ['a bound over the largest', [{ upTo: '1000000000000001', unitAmount: '1' }, open]],
    ['a bound with 13 decimals', [{ upTo: '0.0000000000001', unitAmount: '1' }, open]],
    ['a bound that is missing', [{ unitAmount: '1' }]],
    ['a rate that is missing', [{ upTo: null }]],
    ['a rate that is null', [{ upTo: null, unitAmount: null }]],
    ['a negative rate', [{ upTo: null, unitAmount: '-1' }]],
    ['a fraction as a JSON number', [{ upTo: null, unitAmount: 0.25 }]],
    ['a JSON number that is not exact', [{ upTo: null, unitAmount: 2 ** 53 }]],
    ['a rate with 13 decimals', [{ upTo: null, unitAmount: '0.0000000000001' }]],
    ['a rate that is no number', [{ upTo: null, unitAmount: 'free' }]],
    ['a rate over the largest amount', [{ upTo: null, unitAmount: '100000000000' }]],
    ['a negative flat amount', [{ ...open, flatAmount: '-0.01' }]],
    ['a flat amount over the largest', [{ ...open, flatAmount: 100_000_000_000 }]],
  ])('refuse tiers with %s', async (_case, tiers) => {
    for (const type of ['TIERED', 'VOLUME']) {
      expect(await api.refusedFields('/products', withTiers(tiers, type))).toEqual(['tiers']);
    }
  });

  test.each(['FLAT', 'PER_UNIT'])('%s refuses tiers', async (type) => {
    expect(await api.refusedFields('/products', withTiers([open], type))).toEqual(['tiers']);
  });

  test('name the invalid tier', async () => {
    const answer = await api.post('/products', withTiers([open, { upTo: null, unitAmount: 'x' }]));
    expect(answer.body).toEqual({
      error: {
        tiers: [
          '0.upTo: Only the last tier may have no upper bound',
          '1.unitAmount: Invalid decimal',
        ],
      },
    });
  });
});

describe('a subscription to a product', () => {
  const tiers = [
    { upTo: '2', unitAmount: '1000' },
    { upTo: null, unitAmount: '500.4', flatAmount: '100' },
  ];
  const walked = [
    { upTo: '2', quantity: '2', unitAmount: '1000', flatAmount: '0', amount: '2000' },
    { upTo: null, quantity: '1', unitAmount: '500.4', flatAmount: '100', amount: '600.4' },
  ];
  const all = {
    upTo: null,
    quantity: '3',
    unitAmount: '500.4',
    flatAmount: '100',
    amount: '1601.2',
  };

  async function billed(terms: object, quantity: number): Promise<any> {
    const { id: customerId } = await api.expect(
      201,
      api.post('/customers', { email: 'a@example.com', currency: 'EUR' }),
    );
    const { id: productId } = await api.expect(
      201,
      api.post('/products', { ...product, ...terms }),
    );
    const subscription = await api.subscribe({ customerId, productId, quantity });
    const list = await api.get(`/invoices?subscriptionId=${String(subscription.id)}`);
    return { subscription, line: list.body.data[0].lineItems[0] };
  }

  test.each([
    ['FLAT', {}, { quantity: '1', unitAmount: '2900', amount: 2900 }, []],
    ['PER_UNIT', {}, { quantity: '3', unitAmount: '2900', amount: 8700 }, []],
    ['TIERED', { tiers }, { quantity: '3', unitAmount: null, amount: 2600 }, walked],
    ['VOLUME', { tiers }, { quantity: '3', unitAmount: null, amount: 1601 }, [all]],
  ])('of type %s is billed by its quantity', async (type, terms, line, details) => {
    const answer = await billed({ type, ...terms }, 3);
    expect(answer.line).toMatchObject({ ...line, details: { tiers: details } });
    expect(answer.subscription.price).toMatchObject({
      type,
      tiers: details.length === 0 ? null : expect.any(Array),
    });
  });

  test("keeps its price version when the product's price rises", async () => {
    const { subscription } = await billed({}, 1);
    const { id, productId, priceId } = subscription;
    const path = `/products/${String(productId)}`;
    const dearer = await api.expect(200, api.request('PATCH', path, { body: { amount: 3900 } }));
    const after = await api.expect(200, api.get(`/subscriptions/${String(id)}`));
    expect(after).toMatchObject({ priceId, price: { id: priceId, amount: 2900 } });
    expect(dearer.priceId).not.toBe(priceId);
  });

  test('with a quantity beyond the largest amount is refused', async () => {
    const { id: customerId } = await api.expect(
      201,
      api.post('/customers', { email: 'a@example.com', currency: 'EUR' }),
    );
    const dear = { ...product, type: 'PER_UNIT', amount: 1_000_000 };
    const { id: productId } = await api.expect(201, api.post('/products', dear));
    const body = { customerId, productId, quantity: 100_000 };
    expect(await api.refusedFields('/subscriptions', body)).toEqual(['quantity']);
    await api.expect(201, api.post('/subscriptions', { ...body, quantity: 99_999 }));
  });
});

import { eventually, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { BillingInterval } from '@billing/proto/billing/catalog/v1/catalog';
import { BillingReason, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import {
  CollectionOutcome,
  SubscriptionPhase,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { aProtoCustomer, aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct, type ServiceUnderTest } from '../testing/service-under-test';

const under = serviceForTests(({ products, customers }) => {
  products.set('trial', aProduct({ id: 'trial' }, { trialDays: 14 }));
  products.set('gone', aProduct({ id: 'gone', active: false }));
  products.set('euro', aProduct({ id: 'euro' }, { currency: 'EUR' }));
  const once = BillingInterval.BILLING_INTERVAL_ONE_TIME;
  products.set('once', aProduct({ id: 'once' }, { billingInterval: once }));
  customers.set('nameless', aProtoCustomer({ id: 'nameless', name: undefined }));
});

const at = (now = day('01-31')) => testContext({ now });

test('subscriptions of one instant are listed in order of creation, regardless of their ids', async () => {
  const context = at();
  const made: string[] = [];
  for (let number = 1; number <= 8; number += 1) {
    const authorizedTransactionId = `txn_of_one_instant_${String(number)}`;
    made.push((await under.create({ authorizedTransactionId }, context)).id);
  }
  const request = { customerId: 'customer', since: undefined };
  const { periods } = await under.subscription.listUsagePeriods(request, context);
  expect(periods.map(({ subscriptionId }) => subscriptionId)).toEqual(made);
});

describe('creating a subscription', () => {
  test('stores it, orders its first invoice with the authorization, and announces it', async () => {
    const context = at();
    const metadata = { 'a.b': 1, toString: 'x', yes: true, none: null };
    const created = await under.create(
      { authorizedTransactionId: 'txn_1', metadata, quantity: 3, customerId: 'nameless' },
      context,
    );

    expect(created).toMatchObject({
      organizationId: context.tenant.organizationId,
      customerId: 'nameless',
      productId: 'product',
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_REGULAR,
      entitled: false,
      quantity: 3,
      currentPeriodStart: day('01-31'),
      currentPeriodEnd: day('02-28'),
      authorizedTransactionId: 'txn_1',
      metadata,
      customer: { id: 'nameless', email: 'ada@example.com', name: undefined },
    });
    const [{ request, context: seen }] = under.peers.invoices as [
      (typeof under.peers.invoices)[number],
    ];
    expect(created.latestInvoiceId).toBe(request.invoiceId);
    expect(seen).toMatchObject({ tenant: context.tenant, now: context.now });
    expect(request).toMatchObject({
      subscriptionId: created.id,
      customerId: 'nameless',
      billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
      currency: 'USD',
      periodStart: day('01-31'),
      periodEnd: day('02-28'),
      authorizedTransactionId: 'txn_1',
      lineItems: [{ description: 'Pro', quantity: '1', unitAmount: '2900', amount: 2900n }],
    });
    const events = await eventually(async () => {
      const logged = await under.eventsOf(created.id);
      expect(logged).toHaveLength(1);
      return logged;
    });
    expect(events).toMatchObject([
      { type: 'billing.subscription.created', sequence: 1, time: '2026-01-31T00:00:00.000Z' },
    ]);
    expect(await under.get(created.id, context)).toEqual(created);
  });

  test('with several items bills each of them, in their order', async () => {
    const context = at();
    const { products } = under.peers;
    products.set('base', aProduct({ id: 'base', name: 'Base' }));
    products.set('seats', aProduct({ id: 'seats', name: 'Seats' }, { amount: 500n }));
    const items = { items: [{ productId: 'base' }, { productId: 'seats', quantity: 3 }] };
    const created = await under.create({ productId: '', items }, context);
    expect(created).toMatchObject({
      productId: 'base',
      items: [
        { productId: 'base', quantity: 1 },
        { productId: 'seats', quantity: 3 },
      ],
    });
    expect(under.peers.invoices.at(-1)?.request.lineItems).toMatchObject([
      { description: 'Base', amount: 2900n, itemId: created.items[0]?.id },
      { description: 'Seats', amount: 500n, itemId: created.items[1]?.id, itemProductId: 'seats' },
    ]);
    const filter = { customerId: undefined, productId: 'seats', page: 1, perPage: 10 };
    const listed = await under.subscription.listSubscriptions(filter, context);
    expect(listed.subscriptions.map(({ id }) => id)).toEqual([created.id]);
  });

  test.each([
    ['euro', { items: ['1.productId: Price has another currency'] }],
    ['once', { items: ['1.productId: Price is not recurring'] }],
    ['product', { items: ['1.productId: Product is there twice'] }],
  ])('with several items refuses %s next to a product', async (productId, fields) => {
    const items = { items: [{ productId: 'product' }, { productId }] };
    await expect(under.create({ productId: '', items }, at())).rejects.toMatchObject({ fields });
  });

  test('returns the outcome of the first charge', async () => {
    const context = at();
    under.peers.isCollecting = true;
    const answer = under.create({ authorizedTransactionId: 'txn_2' }, context);
    const { request } = await eventually(() => {
      const [invoice] = under.peers.invoices;
      if (invoice === undefined) throw new Error('No invoice was asked for');
      return invoice;
    });
    await under.subscription.applyCollectionResult(
      {
        subscriptionId: request.subscriptionId,
        resultNumber: 1,
        outcome: CollectionOutcome.COLLECTION_OUTCOME_FAILED,
        attempt: 1,
        invoice: anInvoice(request, InvoiceStatus.INVOICE_STATUS_OPEN),
        nextAttemptAt: undefined,
      },
      context,
    );

    const { id, status, latestInvoiceId } = await answer;
    expect(status).toBe(SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE);
    expect(latestInvoiceId).toBe(request.invoiceId);
    const types = await eventually(async () => {
      const logged = await under.eventsOf(id);
      expect(logged).toHaveLength(3);
      return logged.map(({ type, sequence }) => [sequence, type]);
    });
    expect(types).toEqual([
      [1, 'billing.subscription.created'],
      [2, 'billing.subscription.payment_failed'],
      [3, 'billing.subscription.updated'],
    ]);
  });

  test('with a trial returns once the authorized method is saved, and orders no invoice', async () => {
    const context = at(day('01-17'));
    const created = await under.create(
      { productId: 'trial', authorizedTransactionId: 'txn_3' },
      context,
    );

    expect(created).toMatchObject({
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_TRIAL,
      trialEnd: day('01-31'),
      nextInvoiceAt: day('01-31'),
      latestInvoiceId: undefined,
    });
    expect(under.peers.authorizations).toMatchObject([
      {
        request: {
          subscriptionId: created.id,
          customerId: 'customer',
          authorizedTransactionId: 'txn_3',
        },
      },
    ]);
    expect(under.peers.invoices).toEqual([]);
  });

  test('returns the state reached while checkout is down, and bills once checkout is back', async () => {
    under.peers.isCheckoutDown = true;
    const context = at();
    const created = await under.create({ authorizedTransactionId: 'txn_4' }, context);

    expect(created).toMatchObject({
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
      latestInvoiceId: undefined,
    });
    under.peers.isCheckoutDown = false;
    await eventually(async () => {
      const { latestInvoiceId } = await under.get(created.id, { ...at(), tenant: context.tenant });
      expect(latestInvoiceId).toBe(under.peers.invoices[0]?.request.invoiceId);
      expect(latestInvoiceId).toBeDefined();
    });
  });

  test('creates one subscription for 20 concurrent calls with one authorization', async () => {
    const context = at();
    const authorizedTransactionId = 'txn_5';
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => under.create({ authorizedTransactionId }, context)),
    );

    const ids = new Set(answers.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(new Set(under.peers.invoices.map(({ request }) => request.invoiceId)).size).toBe(1);
    const [id = ''] = ids;
    await eventually(async () => {
      expect((await under.eventsOf(id)).map(({ type }) => type)).toEqual([
        'billing.subscription.created',
      ]);
    });
    const other = await under.create({ authorizedTransactionId }, at());
    expect(other.id).not.toBe(id);
  });

  test('returns the same subscription for the same input, even if it would be refused by now', async () => {
    const context = at();
    const product = aProduct({ id: 'leaving' });
    under.peers.products.set('leaving', product);
    const input = {
      productId: 'leaving',
      authorizedTransactionId: 'txn_6',
      metadata: { a: 1, b: 2 },
    };
    const first = await under.create(input, context);
    under.peers.products.set('leaving', { ...product, active: false });
    const again = await under.create({ ...input, metadata: { b: 2, a: 1 }, quantity: 1 }, context);
    expect(again).toEqual(first);
  });
});

describe('creating a subscription is refused', () => {
  const refusal = async (parts: Parameters<ServiceUnderTest['create']>[0], context = at()) => {
    try {
      await under.create(parts, context);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { kind, reason, message, fields } = error;
      return { kind, reason, message, fields };
    }
    return undefined;
  };

  test.each([
    ['an unknown customer', { customerId: 'unknown' }, 'Customer not found'],
    ['a malformed customer', { customerId: '' }, 'Customer not found'],
    ['an unknown product', { productId: 'nothing' }, 'Product not found'],
    ['an inactive product', { productId: 'gone' }, 'Product not found'],
  ])('for %s', async (_name, parts, message) => {
    expect(await refusal(parts)).toMatchObject({ kind: 'not_found', message });
  });

  test('for a one-time product', async () => {
    expect(await refusal({ productId: 'once' })).toMatchObject({
      kind: 'invalid_input',
      fields: { productId: [expect.any(String)] },
    });
  });

  test('for a currency other than that of the first invoice', async () => {
    under.peers.customers.set('fresh', aProtoCustomer({ id: 'fresh' }));
    const inEuro = { customerId: 'fresh', productId: 'euro' };
    expect(await refusal(inEuro)).toBeUndefined();
    expect(under.peers.customers.get('fresh')).toMatchObject({
      currency: 'EUR',
      currencyFixed: true,
    });
    expect(await refusal({ customerId: 'fresh' })).toMatchObject({
      fields: { productId: ["Currency USD differs from the customer's, EUR"] },
    });
    expect(await refusal(inEuro)).toBeUndefined();
  });

  test('for a currency other than that of an invoice from before currencies were fixed', async () => {
    under.peers.customers.set('early', aProtoCustomer({ id: 'early' }));
    under.peers.billedCurrencies.set('early', 'USD');
    expect(await refusal({ customerId: 'early', productId: 'euro' })).toMatchObject({
      fields: { productId: ["Currency EUR differs from the customer's, USD"] },
    });
  });

  test('for the currency that lost to a concurrent creation', async () => {
    under.peers.customers.set('torn', aProtoCustomer({ id: 'torn' }));
    const outcomes = await Promise.all([
      refusal({ customerId: 'torn', productId: 'euro' }),
      refusal({ customerId: 'torn' }),
    ]);
    expect(outcomes.filter((one) => one === undefined)).toHaveLength(1);
  });

  test('but in no currency for a later start, which orders no invoice yet', async () => {
    under.peers.customers.set('later', aProtoCustomer({ id: 'later' }));
    const startAt = day('03-31');
    for (const productId of ['euro', 'product']) {
      expect(await refusal({ customerId: 'later', productId, startAt })).toBeUndefined();
    }
    expect(under.peers.customers.get('later')?.currencyFixed).toBeUndefined();
  });

  test('for invalid fields before any peer is called', async () => {
    const parts = { customerId: 'unknown', quantity: 0, metadata: { 'no space': 1 } };
    expect(await refusal(parts)).toMatchObject({
      kind: 'invalid_input',
      fields: { quantity: [expect.any(String)], metadata: [expect.any(String)] },
    });
  });

  test('for an authorization that has started another subscription', async () => {
    const context = at();
    const authorizedTransactionId = 'txn_7';
    await under.create({ authorizedTransactionId }, context);
    expect(await refusal({ authorizedTransactionId, quantity: 2 }, context)).toMatchObject({
      kind: 'invalid_input',
      fields: { authorizedTransactionId: [expect.any(String)] },
    });
  });
});

describe('reading a subscription', () => {
  test.each(['', 'no-uuid', '01900000-0000-7000-8000-000000000000'])(
    'answers not found for the unknown id "%s"',
    async (id) => {
      const context = at();
      const unknown = { kind: 'not_found', message: 'Subscription not found' };
      const { subscription } = under;
      await expect(under.get(id, context)).rejects.toMatchObject(unknown);
      await expect(
        subscription.cancelSubscription({ id, atPeriodEnd: false }, context),
      ).rejects.toMatchObject(unknown);
      await expect(subscription.uncancelSubscription({ id }, context)).rejects.toMatchObject(
        unknown,
      );
    },
  );

  test('answers not found for another environment', async () => {
    const created = await under.create({}, at());
    await expect(under.get(created.id, at())).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('a period that exceeds the maximum amount with tax alone', () => {
  const most = 84_033_613_444n;
  const message = 'The total with tax exceeds the maximum amount';

  beforeAll(() => {
    const { products, discounts } = under.peers;
    products.set('most', aProduct({ id: 'most' }, { amount: most }));
    products.set('more', aProduct({ id: 'more' }, { amount: most + 1n }));
    products.set('later', aProduct({ id: 'later' }, { amount: most + 1n, trialDays: 14 }));
    products.set('one', aProduct({ id: 'one' }, { amount: 1n }));
    discounts.set('discount', aProtoDiscount());
  });

  beforeEach(() => {
    under.peers.quotedTaxPercent = 19n;
    under.peers.reservations.splice(0);
  });

  afterEach(() => {
    under.peers.quotedTaxPercent = 0n;
  });

  test.each([
    ['at once', { productId: 'more' }, { quantity: [message] }],
    ['with a discount', { productId: 'more', discountId: 'discount' }, { quantity: [message] }],
    ['after a trial', { productId: 'later' }, { quantity: [message] }],
    ['from a later start', { productId: 'more', startAt: day('02-10') }, { quantity: [message] }],
    [
      'with several items',
      { productId: '', items: { items: [{ productId: 'most' }, { productId: 'one' }] } },
      { items: [message] },
    ],
  ])('is refused %s, and nothing is stored', async (_, wanted, fields) => {
    const context = at();
    const refused = { kind: 'invalid_input', fields };
    await expect(under.create(wanted, context)).rejects.toMatchObject(refused);
    const asked = { customerId: 'customer', startAt: undefined, ...wanted };
    await expect(under.change.previewPurchase(asked, context)).rejects.toMatchObject(refused);
    const all = { customerId: undefined, productId: undefined, page: 1, perPage: 10 };
    const { subscriptions } = await under.subscription.listSubscriptions(all, context);
    expect(subscriptions).toEqual([]);
    expect([under.peers.invoices, under.peers.reservations]).toEqual([[], []]);
  });

  test('is sold at the maximum, and above it where nothing is taxed', async () => {
    expect(await under.create({ productId: 'most' }, at())).toMatchObject({ productId: 'most' });
    under.peers.quotedTaxPercent = 0n;
    expect(await under.create({ productId: 'more' }, at())).toMatchObject({ productId: 'more' });
  });
});

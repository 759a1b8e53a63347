import { newId } from '@billing/chassis/ids';
import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type CreateSessionRequest,
  SessionStatus,
} from '@billing/proto/billing/checkout/v1/session';
import { type RunningShop, startShop } from '../testing/session-rpc';

const { SESSION_STATUS_OPEN } = SessionStatus;
const { INVOICE_STATUS_OPEN } = InvoiceStatus;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => shop.stop());

describe('creating a session', () => {
  test('gives it an open invoice that can be paid only on its page', async () => {
    const product = shop.peers.aProduct({ type: PricingType.PRICING_TYPE_PER_UNIT });
    const { session, invoice } = await shop.create(context, {
      productId: product.id,
      quantity: 3,
      successUrl: 'https://shop.example/thanks?{SESSION_ID}',
      metadata: { 'a.b': 'kept' },
    });
    expect(session).toMatchObject({
      status: SESSION_STATUS_OPEN,
      productId: product.id,
      priceId: product.price?.id,
      quantity: 3,
      invoiceId: invoice.id,
      subscriptionId: undefined,
      successUrl: 'https://shop.example/thanks?{SESSION_ID}',
      metadata: { 'a.b': 'kept' },
      product: { name: 'Pro', price: { amount: 2900n } },
      customer: { email: 'ada@example.com' },
    });
    expect(session.expiresAt?.getTime()).toBe((session.createdAt?.getTime() ?? 0) + 86_400_000);
    expect(invoice).toMatchObject({
      status: INVOICE_STATUS_OPEN,
      number: 'INV-000001',
      total: 8700n,
      checkoutSessionId: session.id,
      subscriptionId: undefined,
      periodStart: undefined,
      hostedUrl: session.checkoutUrl,
      lineItems: [{ description: 'Pro', quantity: '3', unitAmount: '2900', amount: 8700n }],
    });
  });

  test('with several items gives it one line for each, and takes off a discount of some alone', async () => {
    const base = shop.peers.aProduct({}, { name: 'Base' });
    const perUnit = { type: PricingType.PRICING_TYPE_PER_UNIT, amount: 500n };
    const seats = shop.peers.aProduct(perUnit, { name: 'Seats' });
    const { id: discountId } = shop.peers.aDiscount({ productIds: [seats.id] });
    const items = [{ productId: base.id }, { priceId: seats.price?.id, quantity: 3 }];
    const { session, invoice } = await shop.create(context, { items: { items }, discountId });
    expect(session).toMatchObject({
      productId: base.id,
      items: [
        { productId: base.id, quantity: 1, product: { name: 'Base' } },
        { productId: seats.id, quantity: 3, product: { name: 'Seats' } },
      ],
    });
    expect(invoice).toMatchObject({
      ...{ subtotal: 4400n, discountAmount: 750n, total: 3650n },
      lineItems: [
        { description: 'Base', amount: 2900n, discountAmount: 0n },
        { description: 'Seats', amount: 1500n, discountAmount: 750n },
      ],
    });
    const { session: paid } = await shop.pay(session, '4242424242424242', context);
    const [request] = shop.peers.subscribed.get(paid?.subscriptionId ?? '') ?? [];
    expect(request).toMatchObject({
      productId: base.id,
      otherItems: { items: [{ productId: seats.id, productName: 'Seats', quantity: 3 }] },
    });
  });

  test('gives it a page that is found by the token of its address', async () => {
    const { session } = await shop.create(context);
    const token = session.checkoutUrl.split('/').at(-1) ?? '';
    expect(session.checkoutUrl).toBe(`https://pay.example/checkout/${token}`);
    expect(await shop.hostedPages.findHostedPage({ token }, context)).toMatchObject({
      resourceId: session.id,
      environmentId: context.tenant.environmentId,
      live: false,
      manualClock: false,
    });
    for (const wrong of [`${token.slice(0, -1)}!`, 'a'.repeat(43), '']) {
      const found = shop.hostedPages.findHostedPage({ token: wrong }, context);
      await expect(found).rejects.toMatchObject({ reason: 'PAGE_NOT_FOUND' });
    }
  });

  test.each<[string, (ids: { product: string; price: string }) => Partial<CreateSessionRequest>]>([
    ['a price', ({ price }) => ({ priceId: price, productId: undefined })],
    [
      'a product in the place of a price',
      ({ product }) => ({ priceId: product, productId: undefined }),
    ],
    ['a price and its product', ({ price, product }) => ({ priceId: price, productId: product })],
  ])('accepts %s', async (_case, requestOf) => {
    const { id: product, price } = shop.peers.aProduct();
    const { session } = await shop.create(context, requestOf({ product, price: price?.id ?? '' }));
    expect(session).toMatchObject({ productId: product, priceId: price?.id });
  });

  test.each<[string, () => Partial<CreateSessionRequest>, object]>([
    ['an unknown customer', () => ({ customerId: newId() }), notFound('CUSTOMER')],
    ['an unknown product', () => ({ productId: newId() }), notFound('PRODUCT')],
    ['an unknown price', () => ({ priceId: newId(), productId: undefined }), notFound('PRODUCT')],
    [
      'an inactive product',
      () => ({ productId: shop.peers.aProduct({}, { active: false }).id }),
      notFound('PRODUCT'),
    ],
    [
      'a superseded price',
      () => ({ priceId: aSupersededPrice(), productId: undefined }),
      notFound('PRODUCT'),
    ],
    [
      'the price of another product',
      () => ({ priceId: shop.peers.aProduct().price?.id }),
      notFound('PRODUCT'),
    ],
    ['an unknown link', () => ({ checkoutLinkId: newId() }), notFound('CHECKOUT_LINK')],
    ['a malformed link', () => ({ checkoutLinkId: 'link' }), notFound('CHECKOUT_LINK')],
    [
      'an unknown discount',
      () => ({ discountId: newId() }),
      wrong('discountId', 'Discount is not valid'),
    ],
    [
      'a malformed discount',
      () => ({ discountId: 'half' }),
      wrong('discountId', 'Discount is not valid'),
    ],
    ['no customer id', () => ({ customerId: 'ada' }), wrong('customerId', 'Invalid uuid')],
    ['no price id', () => ({ priceId: 'pro' }), wrong('priceId', 'Invalid uuid')],
    ['no product id', () => ({ productId: 'pro' }), wrong('productId', 'Invalid uuid')],
    ['nothing to buy', () => ({ productId: undefined }), wrong('priceId', 'Required')],
    ['none of it', () => ({ quantity: 0 }), wrong('quantity')],
    ['too many', () => ({ quantity: 1_000_001 }), wrong('quantity')],
    [
      'more than can be charged',
      tooMuch,
      wrong('quantity', 'The total exceeds the maximum amount'),
    ],
    ['a relative address', () => ({ successUrl: '/thanks' }), wrong('successUrl')],
    [
      'an address with a user',
      () => ({ cancelUrl: 'https://me@shop.example' }),
      wrong('cancelUrl'),
    ],
    ['nested metadata', () => ({ metadata: { a: { b: 1 } } }), wrong('metadata')],
  ])('refuses %s', async (_case, requestOf, refusal) => {
    await expect(shop.create(context, requestOf())).rejects.toMatchObject(refusal);
  });

  test('with a discount that cannot be redeemed ends the session and leaves nothing behind', async () => {
    const discount = shop.peers.aDiscount({ active: false });
    await expect(shop.create(context, { discountId: discount.id })).rejects.toMatchObject(
      wrong('discountId', 'Discount is not valid'),
    );
    const [ended] = await shop.storedSessions(context);
    expect(ended).toMatchObject({ phase: 'EXPIRED', refusal: 'DISCOUNT_NOT_VALID' });
    await shop.quiet(context);
    const { invoice } = await shop.read(ended?._id ?? '', context);
    expect(invoice).toBeUndefined();
  });

  test('keeps the currency of a customer whose invoice was created before currencies were fixed', async () => {
    const customer = shop.peers.aCustomer();
    const customerId = customer.id;
    const { id: productId } = shop.peers.aProduct({ currency: 'EUR' });
    const { session } = await shop.create(context, { customerId });
    expect(await shop.create(context, { customerId, productId })).toMatchObject({
      session: { status: SESSION_STATUS_OPEN },
    });
    await shop.pay(session, '4242424242424242', context);
    await shop.quiet(context);
    shop.peers.customers.set(customerId, customer);
    await expect(shop.create(context, { customerId, productId })).rejects.toMatchObject(
      wrong('productId', "Currency EUR differs from the customer's, USD"),
    );
  });

  test('takes values from the link that the request omits', async () => {
    const product = shop.peers.aProduct();
    const discount = shop.peers.aDiscount();
    const link = await shop.aLink(context, {
      productIds: [product.id],
      discountId: discount.id,
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example/offers',
    });
    const { session, invoice } = await shop.create(context, {
      productId: product.id,
      checkoutLinkId: link.id,
    });
    expect(session).toMatchObject({
      checkoutLinkId: link.id,
      discountId: discount.id,
      successUrl: 'https://shop.example/thanks',
      cancelUrl: 'https://shop.example/offers',
    });
    expect(invoice).toMatchObject({ subtotal: 2900n, discountAmount: 1450n, total: 1450n });
  });

  test("sells at the full price if the link's discount cannot be redeemed, but refuses such a discount by id", async () => {
    const product = shop.peers.aProduct();
    const { id: discountId } = shop.peers.aDiscount();
    const link = await shop.aLink(context, { productIds: [product.id], discountId });
    shop.peers.discounts.set(discountId, {
      ...shop.peers.aDiscount(),
      id: discountId,
      active: false,
    });
    const request = { productId: product.id, checkoutLinkId: link.id };
    const { session, invoice } = await shop.create(context, request);
    expect(session).toMatchObject({ discountId: undefined, discountLost: true });
    expect(invoice).toMatchObject({ total: 2900n, discountAmount: 0n });
    await expect(shop.create(context, { ...request, discountId })).rejects.toMatchObject(
      wrong('discountId', 'Discount is not valid'),
    );
  });

  test("with a link sells only the link's products", async () => {
    const link = await shop.aLink(context);
    await expect(shop.create(context, { checkoutLinkId: link.id })).rejects.toMatchObject(
      wrong('checkoutLinkId', 'Does not offer this product'),
    );
  });

  test('with an inactive link is refused', async () => {
    const link = await shop.aLink(context, { active: false });
    await expect(shop.create(context, { checkoutLinkId: link.id })).rejects.toMatchObject(
      notFound('CHECKOUT_LINK'),
    );
  });
});

function notFound(resource: string) {
  return { kind: 'not_found', reason: `${resource}_NOT_FOUND` };
}

function wrong(field: string, ...messages: string[]) {
  const expected = messages.length > 0 ? messages : [expect.any(String)];
  return { kind: 'invalid_input', fields: { [field]: expected } };
}

function aSupersededPrice(): string {
  const { price } = shop.peers.aProduct();
  if (price === undefined) throw new Error('A product has a price');
  const id = newId();
  shop.peers.supersededPrices.set(id, { ...price, id, active: false });
  return id;
}

function tooMuch(): Partial<CreateSessionRequest> {
  const type = PricingType.PRICING_TYPE_PER_UNIT;
  return { productId: shop.peers.aProduct({ type, amount: 99_999_999_999n }).id, quantity: 2 };
}

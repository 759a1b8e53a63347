import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import type { PreviewSessionRequest } from '@billing/proto/billing/checkout/v1/session';
import { type RunningShop, startShop } from '../testing/session-rpc';

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => shop.stop());

const preview = (asked: Partial<PreviewSessionRequest>, at = context) =>
  shop.sessions.previewSession({ ...none, ...asked }, at);

const none: PreviewSessionRequest = {
  ...{ customerId: undefined, productId: undefined, priceId: undefined, quantity: undefined },
  ...{ discountId: undefined, items: undefined },
};

const stale = (names: string) => ({
  reason: 'PREVIEW_STALE',
  message: `Preview is stale: ${names}`,
});

test('a preview shows the invoice that the session gets, and stores nothing', async () => {
  const purchase = { customerId: shop.peers.aCustomer().id, productId: shop.peers.aProduct().id };
  const { id: discountId } = shop.peers.aDiscount();
  const shown = await preview({ ...purchase, discountId });
  expect((await shop.sessions.listSessions({ page: 1, perPage: 9 }, context)).total).toBe(0);
  const { invoice } = await shop.create(context, {
    ...{ ...purchase, discountId, previewToken: shown.token },
  });
  const { lineItems, ...amounts } = shown.invoice ?? {};
  expect(invoice).toMatchObject(amounts);
  const ids = { id: expect.any(String) as string, invoiceId: invoice.id };
  expect(invoice.lineItems).toEqual(lineItems?.map((line) => ({ ...line, ...ids })));
  expect(invoice.total).toBe(1450n);
  // A token is for its request; that of any customer is none.
  const other = { ...purchase, quantity: 2, previewToken: shown.token };
  await expect(shop.create(context, other)).rejects.toMatchObject({
    fields: { previewToken: ['Preview is for another request'] },
  });
  expect((await preview({ productId: purchase.productId })).token).toBeUndefined();
});

test('a repeated creation is answered again after its token is out of date', async () => {
  const purchase = { customerId: shop.peers.aCustomer().id, productId: shop.peers.aProduct().id };
  context = testContext({ now: new Date('2026-03-01T00:00:00Z') });
  const { token: previewToken } = await preview(purchase);
  const seed = newId();
  const call = (isRetry: boolean, now: Date): CallContext => ({
    ...{ ...testContext({ now }), tenant: context.tenant },
    retrySeed: { seed, isRetry },
  });
  const late = new Date(context.now.getTime() + 16 * 60_000);
  const asked = { ...purchase, previewToken };
  const { session } = await shop.create(call(false, context.now), asked);
  const again = await shop.create(call(true, late), asked);
  expect(again.session.id).toBe(session.id);
  await expect(
    shop.create({ ...call(false, late), retrySeed: { seed: newId(), isRetry: false } }, asked),
  ).rejects.toMatchObject(stale('time'));
});

test('a discount that moves between the comparison and the reservation refuses the session', async () => {
  const purchase = { customerId: shop.peers.aCustomer().id, productId: shop.peers.aProduct().id };
  const discount = shop.peers.aDiscount();
  const asked = { ...purchase, discountId: discount.id };
  const { token: previewToken } = await preview(asked);
  const { quoted } = shop.peers;
  quoted.set(discount.id, { ...discount });
  shop.peers.discounts.set(discount.id, { ...discount, value: '60' });
  await expect(shop.create(context, { ...asked, previewToken })).rejects.toMatchObject(
    stale('discount'),
  );
  quoted.clear();
  await expect(shop.create(context, { ...asked, previewToken })).rejects.toMatchObject(
    stale('discount'),
  );
});

test('a refusal names all that has moved', async () => {
  context = testContext({ now: new Date('2026-03-01T00:00:00Z') });
  const product = shop.peers.aProduct();
  const customer = shop.peers.aCustomer();
  const discount = shop.peers.aDiscount();
  const asked = { customerId: customer.id, productId: product.id, discountId: discount.id };
  const { token: previewToken } = await preview(asked);
  const refused = async (names: string, at = context) => {
    await expect(shop.create(at, { ...asked, previewToken })).rejects.toMatchObject(stale(names));
  };
  shop.peers.discounts.set(discount.id, { ...discount, active: false });
  await refused('discount');
  const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
  shop.peers.customers.set(customer.id, { ...customer, collectionMethod });
  await refused('discount, customer');
  shop.peers.products.set(product.id, { ...product, name: 'Renamed' });
  await refused('price, discount, customer');
  shop.peers.products.delete(product.id);
  await refused('price, customer');
  const late = new Date(context.now.getTime() + 16 * 60_000);
  await refused('time, price, customer', { ...context, now: late });
});

test('a link whose discount cannot be redeemed sells at the full price that was shown', async () => {
  const product = shop.peers.aProduct();
  const discount = shop.peers.aDiscount();
  const link = await shop.aLink(context, { productIds: [product.id], discountId: discount.id });
  const purchase = { customerId: shop.peers.aCustomer().id, productId: product.id };
  const { token: previewToken } = await preview(purchase);
  const asked = { ...purchase, checkoutLinkId: link.id, previewToken };
  // The discount of the link was not shown.
  await expect(shop.create(context, asked)).rejects.toMatchObject(stale('discount'));
  shop.peers.discounts.set(discount.id, { ...discount, active: false });
  const { session, invoice } = await shop.create(context, asked);
  expect(session).toMatchObject({ discountId: undefined, discountLost: true });
  expect(invoice.total).toBe(2900n);
});

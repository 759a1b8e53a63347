import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { toUpdateMask } from '@billing/chassis/request-fields';
import {
  type CheckoutLink,
  CollectedFact,
  type CreateCheckoutLinkRequest,
  type UpdateCheckoutLinkRequest,
} from '@billing/proto/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { tokenOf } from '../hosted-page/hosted-page';
import { testHostedPageSecret } from '../testing/invoice';
import { type RunningShop, startShop } from '../testing/session-rpc';

const { COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS } = CollectedFact;

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => shop.stop());

test('a link offers products on its own page', async () => {
  const productIds = [shop.peers.aProduct().id, shop.peers.aProduct({}, { active: false }).id];
  const discountId = shop.peers.aDiscount().id;
  const link = await shop.aLink(context, {
    label: 'Spring',
    productIds: [...productIds, ...productIds],
    discountId,
    successUrl: 'https://shop.example/thanks',
    metadata: { 'a.b': 1 },
    quantity: { min: 2, max: 50 },
    collect: [COLLECTED_FACT_ADDRESS, COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS],
  });
  expect(link).toMatchObject({
    quantity: { min: 2, max: 50 },
    collect: [COLLECTED_FACT_NAME, COLLECTED_FACT_ADDRESS],
    organizationId: context.tenant.organizationId,
    label: 'Spring',
    productIds,
    discountId,
    successUrl: 'https://shop.example/thanks',
    returnUrl: undefined,
    active: true,
    metadata: { 'a.b': 1 },
    version: 1n,
  });
  const { checkoutLink } = await shop.links.getCheckoutLink({ id: link.id }, context);
  expect(checkoutLink).toEqual(link);

  const token = link.url.split('/').at(-1) ?? '';
  expect(link.url).toBe(`https://pay.example/link/${token}`);
  expect(await shop.hostedPages.findHostedPage({ token }, context)).toMatchObject({
    kind: HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK,
    resourceId: link.id,
    environmentId: context.tenant.environmentId,
  });
});

test('a token whose link or invoice does not exist opens no page', async () => {
  for (const kind of ['CHECKOUT_LINK', 'INVOICE'] as const) {
    const token = tokenOf({ kind, resourceId: newId() }, testHostedPageSecret);
    await expect(shop.hostedPages.findHostedPage({ token }, context)).rejects.toMatchObject({
      reason: 'PAGE_NOT_FOUND',
    });
  }
});

test.each<[string, () => Partial<CreateCheckoutLinkRequest>, Record<string, string[]>]>([
  ['no label', () => ({ label: '' }), { label: ['Required'] }],
  [
    'a long label',
    () => ({ label: 'a'.repeat(201) }),
    { label: ['Must be at most 200 characters'] },
  ],
  ['no products', () => ({ productIds: [] }), { productIds: ['Required'] }],
  [
    '11 products',
    () => ({ productIds: Array.from({ length: 11 }, newId) }),
    { productIds: ['Must have at most 10 elements'] },
  ],
  [
    'an unknown product',
    () => ({ productIds: [shop.peers.aProduct().id, newId()] }),
    { productIds: ['1: Product not found'] },
  ],
  [
    'a malformed product',
    () => ({ productIds: ['pro'] }),
    { productIds: ['0: Product not found'] },
  ],
  [
    'a relative address',
    () => ({ successUrl: '/thanks' }),
    { successUrl: ['Must be an absolute http or https URL'] },
  ],
  [
    'another scheme',
    () => ({ returnUrl: 'javascript:alert(1)' }),
    { returnUrl: ['Must be an absolute http or https URL'] },
  ],
  [
    'an address with a user',
    () => ({ returnUrl: 'https://me:pw@shop.example' }),
    { returnUrl: ['Must not contain user information'] },
  ],
  [
    'a long address',
    () => ({ returnUrl: `https://shop.example/${'a'.repeat(2048)}` }),
    { returnUrl: ['Must be at most 2048 characters'] },
  ],
  [
    'bounds that no quantity meets',
    () => ({ quantity: { min: 3, max: 2 } }),
    { quantity: ['min: Must be at most max'] },
  ],
  ['an unknown discount', () => ({ discountId: newId() }), notValid()],
  ['a malformed discount', () => ({ discountId: 'half' }), notValid()],
  [
    'an inactive discount',
    () => ({ discountId: shop.peers.aDiscount({ active: false }).id }),
    notValid(),
  ],
  [
    'a discount that is over',
    () => ({ discountId: shop.peers.aDiscount({ endsAt: context.now }).id }),
    notValid(),
  ],
  [
    'a discount for none of the products',
    () => ({ discountId: shop.peers.aDiscount({ productIds: [newId()] }).id }),
    notValid(),
  ],
])('a link with %s is refused', async (_case, requestOf, fields) => {
  await expect(shop.aLink(context, requestOf())).rejects.toMatchObject({
    kind: 'invalid_input',
    fields,
  });
});

test('an unknown link and a link of another environment are not found', async () => {
  const { id } = await shop.aLink(context);
  for (const [asked, by] of [
    [newId(), context],
    ['link', context],
    [id, testContext()],
  ] as const) {
    const notFound = { reason: 'CHECKOUT_LINK_NOT_FOUND' };
    await expect(shop.links.getCheckoutLink({ id: asked }, by)).rejects.toMatchObject(notFound);
    await expect(change(asked, { active: false }, by)).rejects.toMatchObject(notFound);
  }
});

test('a list shows the newest link first, and can be filtered by state', async () => {
  const begun = testContext({ now: new Date('2026-01-31T00:00:00.000Z') });
  const later = { ...begun, now: new Date('2026-01-31T00:00:00.001Z') };
  const first = await shop.aLink(begun);
  const second = await shop.aLink(later, { active: false });
  await shop.aLink(testContext());
  const list = async (request: { page?: number; perPage?: number; active?: boolean }) => {
    const asked = { page: 1, perPage: 20, ...request };
    const { checkoutLinks, total } = await shop.links.listCheckoutLinks(asked, later);
    return { ids: checkoutLinks.map(({ id }) => id), total };
  };
  expect(await list({})).toEqual({ ids: [second.id, first.id], total: 2 });
  expect(await list({ perPage: 1, page: 2 })).toEqual({ ids: [first.id], total: 2 });
  expect(await list({ active: true })).toEqual({ ids: [first.id], total: 1 });
  expect(await list({ active: false })).toEqual({ ids: [second.id], total: 1 });
});

test.each<[string, Partial<UpdateCheckoutLinkRequest>, Partial<CheckoutLink>]>([
  ['a label', { label: 'Summer' }, { label: 'Summer' }],
  ['its state', { active: false }, { active: false }],
  ['an address', { returnUrl: 'https://shop.example' }, { returnUrl: 'https://shop.example' }],
  ['no address', { successUrl: undefined }, { successUrl: undefined }],
  ['metadata', { metadata: { b: 2 } }, { metadata: { b: 2 } }],
  ['no metadata', { metadata: undefined }, { metadata: {} }],
  ['bounds', { quantity: { min: 1, max: 9 } }, { quantity: { min: 1, max: 9 } }],
  ['no bounds', { quantity: undefined }, { quantity: undefined }],
  ['a fact to collect', { collect: [COLLECTED_FACT_NAME] }, { collect: [COLLECTED_FACT_NAME] }],
])('a link accepts %s and keeps the other fields', async (_case, changes, changed) => {
  const link = await shop.aLink(context, {
    successUrl: 'https://shop.example/thanks',
    metadata: { 'a.b': 1 },
    quantity: { min: 2, max: 5 },
  });
  const after = await change(link.id, changes);
  const updatedAt = expect.any(Date) as Date;
  expect(after).toEqual({ ...link, ...changed, version: 2n, updatedAt });
  // The same change again writes nothing.
  expect(await change(link.id, changes)).toEqual(after);
});

test.each<[string, Partial<UpdateCheckoutLinkRequest>, Record<string, string[]>]>([
  ['no label', { label: undefined }, { label: ['Required'] }],
  ['no state', { active: undefined }, { active: ['Required'] }],
  [
    'a relative address',
    { successUrl: '/thanks' },
    { successUrl: ['Must be an absolute http or https URL'] },
  ],
  ['a list for metadata', { metadata: { a: [] } }, { metadata: [expect.any(String)] }],
])('a link refuses %s', async (_case, changes, fields) => {
  const { id } = await shop.aLink(context);
  await expect(change(id, changes)).rejects.toMatchObject({ kind: 'invalid_input', fields });
});

test('a link offers other products and another discount, and its sessions keep theirs', async () => {
  const [first, second] = [shop.peers.aProduct(), shop.peers.aProduct()];
  const [half, ended] = [shop.peers.aDiscount(), shop.peers.aDiscount({ endsAt: context.now })];
  const link = await shop.aLink(context, { productIds: [first.id] });
  const sold = (productId: string) =>
    shop.create(context, { checkoutLinkId: link.id, productId, forVisitor: true });
  const { session } = await sold(first.id);
  const productIds = [second.id];
  expect(await change(link.id, { productIds, discountId: half.id })).toMatchObject({
    productIds,
    discountId: half.id,
    version: 2n,
  });
  expect((await sold(second.id)).session).toMatchObject({ discountId: half.id });
  await expect(sold(first.id)).rejects.toMatchObject({
    fields: { checkoutLinkId: ['Does not offer this product'] },
  });
  const { session: kept } = await shop.sessions.getSession({ id: session.id }, context);
  expect(kept).toMatchObject({ productId: first.id, status: session.status });
  const refused: [Partial<UpdateCheckoutLinkRequest>, object][] = [
    [{ productIds: [] }, { productIds: ['Required'] }],
    [{ productIds: [second.id, newId()] }, { productIds: ['1: Product not found'] }],
    [{ discountId: ended.id }, notValid()],
    [{ discountId: newId() }, notValid()],
  ];
  for (const [changes, fields] of refused) {
    await expect(change(link.id, changes)).rejects.toMatchObject({ fields });
  }
  expect(await change(link.id, { discountId: undefined })).toMatchObject({
    productIds,
    discountId: undefined,
  });
});

test('a link whose discount has ended takes other changes', async () => {
  const discount = shop.peers.aDiscount();
  const { id } = await shop.aLink(context, { discountId: discount.id });
  discount.active = false;
  const changes = { label: 'Summer', discountId: discount.id };
  expect(await change(id, changes)).toMatchObject({ label: 'Summer', discountId: discount.id });
});

test('a change is checked against the version that the caller saw', async () => {
  const { id } = await shop.aLink(context);
  await change(id, { label: 'Summer', expectedVersion: 1n });
  await expect(change(id, { label: 'Autumn', expectedVersion: 1n })).rejects.toMatchObject({
    reason: 'STALE_VERSION',
  });
});

test('a visitor buys a quantity within the bounds of the link, a caller with a key any', async () => {
  const product = shop.peers.aProduct();
  const link = await shop.aLink(context, {
    productIds: [product.id],
    quantity: { min: 2, max: 5 },
  });
  const buy = async (quantity: number | undefined, forVisitor: boolean) => {
    const order = { checkoutLinkId: link.id, productId: product.id, quantity, forVisitor };
    return (await shop.create(context, order)).session.quantity;
  };
  for (const quantity of [undefined, 1, 6]) {
    await expect(buy(quantity, true)).rejects.toMatchObject({
      fields: { quantity: ['Must be a whole number from 2 to 5'] },
    });
  }
  expect([await buy(2, true), await buy(5, true), await buy(6, false)]).toEqual([2, 5, 6]);

  await change(link.id, { quantity: undefined });
  await expect(buy(2, true)).rejects.toMatchObject({ kind: 'invalid_input' });
  expect(await buy(undefined, true)).toBe(1);
});

test('an inactive link sells nothing until it is active again', async () => {
  const product = shop.peers.aProduct();
  const link = await shop.aLink(context, { productIds: [product.id] });
  const sold = () => shop.create(context, { checkoutLinkId: link.id, productId: product.id });
  const begun = await sold();
  await change(link.id, { active: false });
  await expect(sold()).rejects.toMatchObject({ reason: 'CHECKOUT_LINK_NOT_FOUND' });
  // Sessions from before continue.
  const { session } = await shop.read(begun.session.id, context);
  expect(session?.status).toBe(begun.session.status);
  await change(link.id, { active: true });
  expect((await sold()).session.checkoutLinkId).toBe(link.id);
});

/** Changes the named fields, including those named without a value. */
async function change(
  id: string,
  { expectedVersion, ...changes }: Partial<UpdateCheckoutLinkRequest>,
  by = context,
) {
  const updateMask = toUpdateMask(Object.keys(changes));
  const unchanged = { metadata: undefined, quantity: undefined, collect: [], productIds: [] };
  const request = { ...unchanged, ...changes, id, updateMask, expectedVersion };
  return (await shop.links.updateCheckoutLink(request, by)).checkoutLink;
}

function notValid() {
  return { discountId: ['Discount is not valid'] };
}

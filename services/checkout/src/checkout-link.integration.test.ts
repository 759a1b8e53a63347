import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import type { CreateCheckoutLinkRequest } from '@billing/proto/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { type RunningShop, startShop } from './testing-session-rpc';

let shop: RunningShop;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
});

beforeEach(() => {
  context = testContext();
});

afterAll(() => shop.stop());

test('a link offers products on a page of its own', async () => {
  const productIds = [shop.peers.aProduct().id, shop.peers.aProduct({}, { active: false }).id];
  const discountId = shop.peers.aDiscount().id;
  const link = await shop.aLink(context, {
    label: 'Spring',
    productIds: [...productIds, ...productIds],
    discountId,
    successUrl: 'https://shop.example/thanks',
    metadata: { 'a.b': 1 },
  });
  expect(link).toMatchObject({
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

test('an unknown link is not found, nor is one of another environment', async () => {
  const { id } = await shop.aLink(context);
  for (const [asked, by] of [
    [newId(), context],
    ['link', context],
    [id, testContext()],
  ] as const) {
    await expect(shop.links.getCheckoutLink({ id: asked }, by)).rejects.toMatchObject({
      reason: 'CHECKOUT_LINK_NOT_FOUND',
    });
  }
});

function notValid() {
  return { discountId: ['Discount is not valid'] };
}

import type { CallContext } from '@billing/chassis/call-context';
import { redemptionRefusal } from '@billing/kernel/discount-validity';
import { appliesToProduct } from '@billing/kernel/discounting';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type { Product } from '@billing/proto/billing/catalog/v1/catalog';
import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import type { Discount } from '@billing/proto/billing/discount/v1/discount';
import type { Peers } from '../../peer/peers';

interface OfferTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** A product of a link that can currently be bought. */
export interface OfferedProduct extends Product {
  /** True if the link's discount can be redeemed for the product. */
  readonly isDiscounted: boolean;
}

/** Products of a link that can currently be bought. */
export async function productsOnOffer(
  link: CheckoutLink,
  tools: OfferTools,
): Promise<OfferedProduct[]> {
  if (!link.active) return [];
  const { discountId } = link;
  const [discount, products] = await Promise.all([
    discountId === undefined ? undefined : redeemable(discountId, tools),
    productsOf(link, tools),
  ]);
  return products
    .filter((product) => product.active)
    .map((product) => ({
      ...product,
      isDiscounted: discount !== undefined && isFor(discount, product),
    }));
}

async function productsOf(
  { productIds }: CheckoutLink,
  { peers, context }: OfferTools,
): Promise<Product[]> {
  const answers = await Promise.all(
    productIds.map((id) => peers.catalog.getProduct({ id }, context)),
  );
  return answers.flatMap(({ product }) => product ?? []);
}

async function redeemable(
  id: string,
  { peers, context }: OfferTools,
): Promise<Discount | undefined> {
  const found = await unlessNotFound(peers.discount.getDiscount({ id }, context));
  const discount = found?.discount;
  return discount !== undefined && isRedeemable(discount, context.now) ? discount : undefined;
}

function isRedeemable(discount: Discount, at: Date): boolean {
  const limits = {
    active: discount.active,
    startsAt: discount.startsAt ?? null,
    endsAt: discount.endsAt ?? null,
    maxRedemptions: discount.maxRedemptions ?? null,
  };
  return redemptionRefusal(limits, { at, redemptions: discount.redemptionCount }) === null;
}

function isFor(discount: Discount, { id, price }: Product): boolean {
  const { currency } = discount;
  return appliesToProduct(discount, id) && (currency ?? price?.currency) === price?.currency;
}

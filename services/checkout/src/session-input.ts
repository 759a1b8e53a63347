import type { BillingInterval } from '@billing/kernel/billing-period';
import type { Currency } from '@billing/kernel/currency';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  optionalProblems,
  refuseProblems,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import { isAmount } from '@billing/kernel/money';
import { type PricingType, recurringCharge } from '@billing/kernel/pricing';
import type { Tier } from '@billing/kernel/tiers';
import { webAddressProblems } from '@billing/kernel/web-address';

const quantityMax = 1_000_000;

/** A session as it was asked for. */
export interface SessionInput {
  readonly customerId: string;
  /** A price or, as callers may mean it, a product. */
  readonly priceId: string | undefined;
  readonly productId: string | undefined;
  readonly quantity: number;
  readonly checkoutLinkId: string | undefined;
  readonly successUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  readonly discountId: string | undefined;
  /** A visitor of the link's public page asks. */
  readonly isForVisitor: boolean;
  /** What the same visitor ordered before, and holds perhaps; undefined: nothing known. */
  readonly earlierSessionId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a price version charges. */
export interface PriceTerms {
  readonly id: string;
  readonly type: PricingType;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly tiers: readonly Tier[] | null;
  readonly billingInterval: BillingInterval;
  readonly intervalCount: number;
  /** 0: none. */
  readonly trialDays: number;
  /** False once a later version has replaced it. */
  readonly active: boolean;
}

/** What the product's owner says of it and of the price version that is asked for. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly active: boolean;
  readonly price: PriceTerms;
}

/** Refuses the input once, for everything that is wrong with it by itself. */
export function checkSessionInput(
  input: SessionInput,
  { isId, metadataProblems }: { isId: (text: string) => boolean; metadataProblems: string[] },
): void {
  const { customerId, priceId, productId, quantity, successUrl, cancelUrl } = input;
  const idProblems = (id: string | undefined) =>
    id === undefined || isId(id) ? [] : ['Invalid uuid'];
  const isMissing = priceId === undefined && productId === undefined;
  refuseProblems({
    customerId: idProblems(customerId),
    priceId: isMissing ? ['Required'] : idProblems(priceId),
    productId: idProblems(productId),
    quantity: wholeNumberProblems(quantity, { min: 1, max: quantityMax }),
    successUrl: optionalProblems(successUrl, webAddressProblems),
    cancelUrl: optionalProblems(cancelUrl, webAddressProblems),
    metadata: metadataProblems,
  });
}

/** Refuses what cannot be bought (any more), and a quantity of it that costs more than can be charged. */
export function checkProduct(
  { id, active, price }: ProductFacts,
  { productId, quantity }: Pick<SessionInput, 'productId' | 'quantity'>,
): void {
  const isAnother = productId !== undefined && productId !== id;
  if (!active || !price.active || isAnother) throw notFound('Product');
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

/** Refuses another currency than that which the customer's first invoice has set. */
export function checkCurrency(
  { price }: Pick<ProductFacts, 'price'>,
  { priceId }: Pick<SessionInput, 'priceId'>,
  fixedCurrency: string | undefined,
): void {
  const { currency } = price;
  if (fixedCurrency === undefined || currency === fixedCurrency) return;
  const problem = `Currency ${currency} differs from the customer's, ${fixedCurrency}`;
  throw invalidInput({ [priceId === undefined ? 'productId' : 'priceId']: [problem] });
}

/** Refuses a link that offers other products; none offers any. */
export function checkLink(
  link: { readonly productIds: readonly string[] } | undefined,
  { id }: Pick<ProductFacts, 'id'>,
): void {
  if (link === undefined || link.productIds.includes(id)) return;
  throw invalidInput({ checkoutLinkId: ['Does not offer this product'] });
}

/** What a discount that cannot be redeemed is answered with, whoever found that; `field` is what it was named by. */
export function discountNotValid(field: 'discountId' | 'checkoutLinkId' = 'discountId'): Error {
  return invalidInput({ [field]: ['Discount is not valid'] });
}

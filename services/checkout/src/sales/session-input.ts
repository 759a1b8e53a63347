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

/** Input of a session. */
export interface SessionInput {
  readonly customerId: string;
  /** Id of a price or of a product. */
  readonly priceId: string | undefined;
  readonly productId: string | undefined;
  readonly quantity: number;
  readonly checkoutLinkId: string | undefined;
  readonly successUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  readonly discountId: string | undefined;
  /** True if a visitor of the link's public page sends the request. */
  readonly isForVisitor: boolean;
  /** Earlier session of the same visitor, which may hold a redemption; undefined if unknown. */
  readonly earlierSessionId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Terms of a price version. */
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

/** Data of the product and of the requested price version from their owner. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly active: boolean;
  readonly price: PriceTerms;
}

/** Throws one error that names every invalid field that can be judged from the input alone. */
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

/**
 * Refuses a product that cannot be bought, and a quantity that costs more than the maximum charge.
 */
export function checkProduct(
  { id, active, price }: ProductFacts,
  { productId, quantity }: Pick<SessionInput, 'productId' | 'quantity'>,
): void {
  const isAnother = productId !== undefined && productId !== id;
  if (!active || !price.active || isAnother) throw notFound('Product');
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

/** Refuses another currency than that of the customer's first invoice. */
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

/** Refuses a link that does not offer the product; without a link every product is allowed. */
export function checkLink(
  link: { readonly productIds: readonly string[] } | undefined,
  { id }: Pick<ProductFacts, 'id'>,
): void {
  if (link === undefined || link.productIds.includes(id)) return;
  throw invalidInput({ checkoutLinkId: ['Does not offer this product'] });
}

/** Error for a discount that cannot be redeemed; `field` is the input field that names it. */
export function discountNotValid(field: 'discountId' | 'checkoutLinkId' = 'discountId'): Error {
  return invalidInput({ [field]: ['Discount is not valid'] });
}

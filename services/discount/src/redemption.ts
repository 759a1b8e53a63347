import type { Currency } from '@billing/kernel/currency';
import { type RedemptionRefusal, redemptionRefusal } from '@billing/kernel/discount-validity';
import { appliesInCurrency, appliesToProduct } from '@billing/kernel/discounting';
import { DomainError } from '@billing/kernel/domain-error';
import type { Discount } from './discount';

/** Reasons to refuse a redemption; callers get the same message for all. */
export type RefusalReason =
  'DISCOUNT_NOT_FOUND' | RedemptionRefusal | 'DISCOUNT_WRONG_PRODUCT' | 'DISCOUNT_WRONG_CURRENCY';

/** The purchase that a discount is redeemed for. */
export interface Purchase {
  /** The discount must be for one of them; undefined: not known yet. */
  readonly productIds: readonly string[] | undefined;
  /** Currency of the price; undefined: not known yet. */
  readonly currency: Currency | undefined;
}

/**
 * Reason to refuse one more redemption for a purchase at `at`, after `redemptions` others; null if
 * allowed.
 */
export function purchaseRefusal(
  discount: Discount,
  { productIds, currency, at, redemptions }: Purchase & { at: Date; redemptions: number },
): RefusalReason | null {
  const refusal = redemptionRefusal(discount, { at, redemptions });
  if (refusal !== null) return refusal;
  const isForOne = productIds?.some((productId) => appliesToProduct(discount, productId)) ?? true;
  if (!isForOne) return 'DISCOUNT_WRONG_PRODUCT';
  return currency !== undefined && !appliesInCurrency(discount, currency)
    ? 'DISCOUNT_WRONG_CURRENCY'
    : null;
}

/** Builds the error of a refusal: a "not found" message with a specific reason. */
export function refusedRedemption(reason: RefusalReason): DomainError {
  return new DomainError('not_found', reason, 'Discount not found');
}

/** The error if the holder has no redemption of the discount. */
export function redemptionNotFound(): DomainError {
  return new DomainError('not_found', 'REDEMPTION_NOT_FOUND', 'Redemption not found');
}

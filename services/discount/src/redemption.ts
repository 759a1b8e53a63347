import type { Currency } from '@billing/kernel/currency';
import { type RedemptionRefusal, redemptionRefusal } from '@billing/kernel/discount-validity';
import { appliesInCurrency, appliesToProduct } from '@billing/kernel/discounting';
import { DomainError } from '@billing/kernel/domain-error';
import type { Discount } from './discount';

/** Every reason why a discount cannot be redeemed; callers see the same sentence for all. */
export type RefusalReason =
  'DISCOUNT_NOT_FOUND' | RedemptionRefusal | 'DISCOUNT_WRONG_PRODUCT' | 'DISCOUNT_WRONG_CURRENCY';

/** What is bought. */
export interface Purchase {
  /** Undefined: it is not known yet. */
  readonly productId: string | undefined;
  /** Of the price; undefined: it is not known. */
  readonly currency: Currency | undefined;
}

/** Why a discount cannot be redeemed for a purchase at `at`, once more than `redemptions`; null where it can. */
export function purchaseRefusal(
  discount: Discount,
  { productId, currency, at, redemptions }: Purchase & { at: Date; redemptions: number },
): RefusalReason | null {
  const refusal = redemptionRefusal(discount, { at, redemptions });
  if (refusal !== null) return refusal;
  if (productId !== undefined && !appliesToProduct(discount, productId)) {
    return 'DISCOUNT_WRONG_PRODUCT';
  }
  return currency !== undefined && !appliesInCurrency(discount, currency)
    ? 'DISCOUNT_WRONG_CURRENCY'
    : null;
}

/** The error of a refusal: unknown to whoever reads the message, told apart by its reason. */
export function refusedRedemption(reason: RefusalReason): DomainError {
  return new DomainError('not_found', reason, 'Discount not found');
}

/** The holder has no redemption of the discount. */
export function redemptionNotFound(): DomainError {
  return new DomainError('not_found', 'REDEMPTION_NOT_FOUND', 'Redemption not found');
}

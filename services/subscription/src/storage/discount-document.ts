import type { Count } from './item-document';
import type { SubscriptionDiscount } from '../subscription/subscription';

/** A discount as stored. */
export type DiscountDocument = Omit<
  SubscriptionDiscount,
  'durationInMonths' | 'productIds' | 'holderId' | 'firstPeriod'
> & {
  readonly durationInMonths: Count | null;
  /** Absent in documents of earlier releases. */
  readonly productIds?: readonly string[] | null;
  /** Absent: null; stored by an earlier release. */
  readonly holderId?: string | null;
  readonly firstPeriod?: Count;
};

/** Reads a stored discount; absent in documents that were stored before discounts. */
export function fromDocumentDiscount(
  discount: DiscountDocument | null | undefined,
): SubscriptionDiscount | null {
  if (discount === null || discount === undefined) return null;
  const { durationInMonths, firstPeriod, ...stored } = discount;
  return {
    ...stored,
    durationInMonths: durationInMonths === null ? null : Number(durationInMonths),
    productIds: discount.productIds ?? null,
    holderId: discount.holderId ?? null,
    ...(firstPeriod !== undefined && { firstPeriod: Number(firstPeriod) }),
  };
}

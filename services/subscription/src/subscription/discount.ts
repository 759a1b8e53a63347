import { addMonths } from '@billing/kernel/billing-period';
import { type Currency, isCurrency } from '@billing/kernel/currency';
import { discountsPeriod } from '@billing/kernel/discount-validity';
import { applyDiscount, type DiscountTerms } from '@billing/kernel/discounting';
import { sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import { type CycleFacts, periodIndexAt, periodOf } from './billing-cycle';
import {
  currencyOf,
  type DiscountSnapshot,
  mainItem,
  type Subscription,
  type SubscriptionDiscount,
} from './subscription';

/** A subscription that enters a period, and the decision whether its discount applies there. */
export interface DiscountedPeriod {
  readonly state: Subscription;
  readonly isDiscounted: boolean;
}

/**
 * Applies the discount to a period where it counts. The first period in which a product that it is
 * for costs anything begins its span: a free period neither uses a discount up nor needs one.
 */
export function takeDiscount(subscription: Subscription, periodIndex: number): DiscountedPeriod {
  const { discount, items } = subscription;
  const costsAnything = items.some(
    ({ price, quantity, productId }) =>
      discount !== null &&
      isForProduct(discount, productId) &&
      recurringCharge({ ...price, quantity }).amount > 0n,
  );
  if (discount === null || !costsAnything) return { state: subscription, isDiscounted: false };
  const isDiscounted = coversPeriod(discount, subscription, periodIndex);
  if (!isDiscounted || discount.firstPeriodStart !== null) {
    return { state: subscription, isDiscounted };
  }
  const begun = { ...discount, firstPeriodStart: periodOf(subscription, periodIndex).start };
  return { state: { ...subscription, discount: begun }, isDiscounted };
}

/** True if a period is in the span of a discount, or may begin it. */
export function coversPeriod(
  discount: SubscriptionDiscount,
  facts: CycleFacts,
  periodIndex: number,
): boolean {
  const { duration, firstPeriod, firstPeriodStart: first } = discount;
  if (duration === 'ONCE' && firstPeriod !== undefined) return firstPeriod === periodIndex;
  return discountsPeriod(discount, { first, start: periodOf(facts, periodIndex).start });
}

/**
 * The subscription with the first discounted period told from the one that follows, where a new
 * cycle begins that at the same instant.
 */
export function withFirstPeriod(subscription: Subscription, at: Date): Subscription {
  const { discount, periodIndex } = subscription;
  if (discount === null || periodIndex === null || discount.firstPeriod !== undefined) {
    return subscription;
  }
  if (discount.firstPeriodStart?.getTime() !== at.getTime()) return subscription;
  return { ...subscription, discount: { ...discount, firstPeriod: periodIndex } };
}

/** True if the discount takes something off the product; where that is not known, true. */
export function isForProduct(
  { productIds }: Pick<DiscountSnapshot, 'productIds'>,
  productId: string,
): boolean {
  return productIds === null || productIds.length === 0 || productIds.includes(productId);
}

/** True if both are the same redemption of a discount. */
export function isSameRedemption(
  a: Subscription['discount'],
  b: Subscription['discount'],
): boolean {
  return a !== null && a.id === b?.id && a.holderId === b.holderId;
}

/** The discount of the running period: a change of it counts from the next one. */
export function runningDiscount({
  discount,
  periodIndex,
  changes: { period },
}: Pick<Subscription, 'discount' | 'periodIndex' | 'changes'>): Subscription['discount'] {
  if (period?.discount === undefined || period.periodIndex !== periodIndex) return discount;
  return period.discount;
}

/** Time from which periods are no longer discounted; null when it is not known yet, or never. */
export function discountEndsAt(subscription: Subscription): Date | null {
  const { discount } = subscription;
  if (discount === null || discount.firstPeriodStart === null) return null;
  const { duration, durationInMonths, firstPeriodStart, firstPeriod } = discount;
  switch (duration) {
    case 'ONCE': {
      const first = firstPeriod ?? periodIndexAt(subscription, firstPeriodStart);
      return periodOf(subscription, first).end;
    }
    case 'REPEATING':
      return durationInMonths === null ? null : addMonths(firstPeriodStart, durationInMonths);
    case 'FOREVER':
      return null;
  }
}

/** A line with an amount; without a product it is of the main item. */
interface DiscountedLine {
  readonly productId?: string | undefined;
  readonly amount: bigint;
}

/** The deduction from an invoice with these lines. */
export function amountOff(subscription: Subscription, lines: readonly DiscountedLine[]): bigint {
  return sumOf(discountParts(subscription, lines));
}

/** The terms of a discount, and the products that it is for. */
export function termsOf({
  type,
  value,
  productIds,
}: NonNullable<Subscription['discount']>): DiscountTerms {
  return { type, value, currency: null, productIds: productIds ?? [] };
}

/** The currency of a subscription; an unknown one is a bug. */
export function knownCurrency(subscription: Subscription): Currency {
  const currency = currencyOf(subscription);
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  return currency;
}

/** The deduction from each line of a discounted period. */
export function discountParts(
  subscription: Subscription,
  lines: readonly DiscountedLine[],
): readonly bigint[] {
  const { discount } = subscription;
  if (discount === null) return lines.map(() => 0n);
  const main = mainItem(subscription).productId;
  const ofProducts = lines.map(({ productId = main, amount }) => ({ productId, amount }));
  const invoice = { currency: knownCurrency(subscription), lines: ofProducts };
  return applyDiscount(termsOf(discount), invoice).parts;
}

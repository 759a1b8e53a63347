import type { toJsonDiscount } from '@billing/proto/json/discount';
import { countText, moneyText, pluralText } from '../parts/text/text';

export type Discount = ReturnType<typeof toJsonDiscount>;

/** Amount and duration of a discount: “12.5% off for 3 months”. */
export function termsText({
  type,
  value,
  currency,
  duration,
  durationInMonths,
}: Pick<Discount, 'type' | 'value' | 'currency' | 'duration' | 'durationInMonths'>): string {
  return `${offText({ type, value, currency })} ${spanText(duration, durationInMonths)}`;
}

/** False for an amount in another currency. */
export function isUsableIn(currency: string, discount: Pick<Discount, 'currency'>): boolean {
  return discount.currency === null || discount.currency === currency;
}

/** Reason why a discount cannot reduce a price in a currency; undefined if it can. */
export function misfitOf(
  discount: Pick<Discount, 'currency'>,
  currency: string | undefined,
): string | undefined {
  if (currency === undefined || isUsableIn(currency, discount)) return undefined;
  return `This discount is in ${discount.currency ?? ''}, the price in ${currency}`;
}

/** Number of redemptions, with the limit if any. */
export function redemptionsText({
  redemptionCount,
  maxRedemptions,
}: Pick<Discount, 'redemptionCount' | 'maxRedemptions'>): string {
  const count = countText(redemptionCount);
  return maxRedemptions === null ? count : `${count} of ${countText(maxRedemptions)}`;
}

function offText({ type, value, currency }: Pick<Discount, 'type' | 'value' | 'currency'>): string {
  if (type === 'PERCENTAGE') return `${String(value)}% off`;
  // A discount without a currency uses the smallest unit of each invoice's currency.
  if (currency === null) return `${countText(value)} minor units off`;
  return `${moneyText(value, currency)} off`;
}

function spanText(
  duration: Discount['duration'],
  durationInMonths: Discount['durationInMonths'],
): string {
  if (duration === 'ONCE') return 'once';
  if (duration === 'FOREVER') return 'forever';
  return `for ${pluralText(durationInMonths ?? 0, 'month')}`;
}

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

import type { toJsonDiscount } from '@billing/proto/json/discount';
import { countText, moneyText, pluralText } from '../../parts/text';

export type Discount = ReturnType<typeof toJsonDiscount>;

/** How much a discount takes off and for how long: “12.5% off for 3 months”. */
export function termsText({
  type,
  value,
  currency,
  duration,
  durationInMonths,
}: Pick<Discount, 'type' | 'value' | 'currency' | 'duration' | 'durationInMonths'>): string {
  return `${offText({ type, value, currency })} ${spanText(duration, durationInMonths)}`;
}

/** How often it was redeemed, of how often it may be. */
export function redemptionsText({
  redemptionCount,
  maxRedemptions,
}: Pick<Discount, 'redemptionCount' | 'maxRedemptions'>): string {
  const count = countText(redemptionCount);
  return maxRedemptions === null ? count : `${count} of ${countText(maxRedemptions)}`;
}

function offText({ type, value, currency }: Pick<Discount, 'type' | 'value' | 'currency'>): string {
  if (type === 'PERCENTAGE') return `${String(value)}% off`;
  // Without a currency of its own it is taken in each invoice's smallest unit.
  if (currency === null) return `${countText(value)} smallest units off`;
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

import { rateText } from '@billing/gateway/amount-text';
import type { toJsonMeterPrice, toJsonProduct } from '@billing/proto/json/product';
import { countText, moneyText, pluralText } from '../../parts/text';

export type Product = ReturnType<typeof toJsonProduct>;
export type MeterPrice = ReturnType<typeof toJsonMeterPrice>;
export type Tier = NonNullable<Product['tiers']>[number];

const units = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  QUARTERLY: 'quarter',
  YEARLY: 'year',
} as const;

/** What a product costs and how often: “$29.00 every month”, “from $5.00 a unit, in tiers, every 2 weeks”. */
export function priceText(
  product: Pick<
    Product,
    'type' | 'amount' | 'currency' | 'tiers' | 'billingInterval' | 'intervalCount'
  >,
): string {
  return `${amountOf(product)} ${intervalText(product)}`;
}

/** How often a product is billed. */
function intervalText({
  billingInterval,
  intervalCount,
}: Pick<Product, 'billingInterval' | 'intervalCount'>): string {
  if (billingInterval === 'ONE_TIME') return 'once';
  const unit = units[billingInterval];
  return intervalCount === 1 ? `every ${unit}` : `every ${pluralText(intervalCount, unit)}`;
}

/** What a meter's units cost, in words. */
export function meterPriceText(
  {
    type,
    unitAmount,
    packageSize,
    tiers,
  }: Pick<MeterPrice, 'type' | 'unitAmount' | 'packageSize' | 'tiers'>,
  currency: string,
): string {
  const rate = unitAmount === null ? '' : rateText(unitAmount, currency);
  switch (type) {
    case 'PER_UNIT':
      return `${rate} a unit`;
    case 'PACKAGE':
      return `${rate} for each ${packageSize ?? '?'} units begun`;
    case 'TIERED':
      return `each unit by its tier, ${pluralText(tiers?.length ?? 0, 'tier')}`;
    case 'VOLUME':
      return `all units by the tier reached, ${pluralText(tiers?.length ?? 0, 'tier')}`;
  }
}

/** The units of a tier: “101 to 500”, “from 501 on”. The one before says where it begins. */
export function tierSpanText(tier: Tier, before: Tier | undefined): string {
  const from = before?.upTo ?? null;
  if (tier.upTo === null) return from === null ? 'any number' : `above ${numberText(from)}`;
  return from === null
    ? `up to ${numberText(tier.upTo)}`
    : `above ${numberText(from)} to ${numberText(tier.upTo)}`;
}

function amountOf({
  type,
  amount,
  currency,
  tiers,
}: Pick<Product, 'type' | 'amount' | 'currency' | 'tiers'>): string {
  if (type === 'FLAT') return moneyText(amount, currency);
  if (tiers === null) return `${moneyText(amount, currency)} a unit`;
  const count = pluralText(tiers.length, 'tier');
  return type === 'VOLUME' ? `all units by the tier reached, ${count},` : `by ${count}`;
}

function numberText(decimal: string): string {
  const number = Number(decimal);
  return Number.isSafeInteger(number) ? countText(number) : decimal;
}

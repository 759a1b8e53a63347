import { rateText } from '@billing/gateway/amount-text';
import type { toJsonMeterPrice, toJsonProduct } from '@billing/proto/json/product';
import { countText, moneyText, pluralText } from '../parts/text/text';

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

/** Price of a product: “$29.00 / month”, “From $5.00 / unit / 2 weeks (3 volume tiers)”. */
export function priceText(
  product: Pick<
    Product,
    'type' | 'amount' | 'currency' | 'tiers' | 'billingInterval' | 'intervalCount'
  >,
): string {
  const { type, amount, currency, tiers } = product;
  const interval = intervalText(product);
  if (type === 'FLAT') return `${moneyText(amount, currency)}${interval}`;
  if (tiers === null) return `${moneyText(amount, currency)} / unit${interval}`;
  return tieredText({ type, tiers, currency, interval });
}

function intervalText(interval: Pick<Product, 'billingInterval' | 'intervalCount'>): string {
  return interval.billingInterval === 'ONE_TIME' ? ' once' : ` / ${periodText(interval)}`;
}

/** Period of a recurring price: “month”, “2 weeks”. */
export function periodText({
  billingInterval,
  intervalCount,
}: Pick<Product, 'billingInterval' | 'intervalCount'>): string {
  if (billingInterval === 'ONE_TIME') return 'time';
  const unit = units[billingInterval];
  return intervalCount === 1 ? unit : pluralText(intervalCount, unit);
}

/** Price of a meter: “$0.0025 / unit”. */
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
      return `${rate} / unit`;
    case 'PACKAGE':
      return `${rate} / package of ${packageSize ?? '?'} units`;
    case 'TIERED':
    case 'VOLUME':
      return tieredText({ type, tiers: tiers ?? [], currency, interval: '' });
  }
}

/** Units of a tier: “Over 100, up to 500”. The previous tier gives the lower bound. */
export function tierSpanText(tier: Tier, before: Tier | undefined): string {
  const from = before?.upTo ?? null;
  if (tier.upTo === null) return from === null ? 'Any quantity' : `Over ${numberText(from)}`;
  return from === null
    ? `Up to ${numberText(tier.upTo)}`
    : `Over ${numberText(from)}, up to ${numberText(tier.upTo)}`;
}

/** Lowest price per unit with the number of tiers; tiers with a flat fee have no lowest price. */
function tieredText({
  type,
  tiers,
  currency,
  interval,
}: {
  type: Product['type'] | MeterPrice['type'];
  tiers: readonly Tier[];
  currency: string;
  interval: string;
}): string {
  const model = type === 'VOLUME' ? 'volume' : 'graduated';
  const count = pluralText(tiers.length, `${model} tier`);
  const [lowest] = [...tiers].sort((a, b) => Number(a.unitAmount) - Number(b.unitAmount));
  if (lowest === undefined || tiers.some(({ flatAmount }) => flatAmount !== '0')) {
    return `${count}${interval}`;
  }
  return `From ${rateText(lowest.unitAmount, currency)} / unit${interval} (${count})`;
}

function numberText(decimal: string): string {
  const number = Number(decimal);
  return Number.isSafeInteger(number) ? countText(number) : decimal;
}

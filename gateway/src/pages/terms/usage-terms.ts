import type { Recurrence } from '@billing/kernel/billing-period';
import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { Meter } from '@billing/proto/billing/metering/v1/metering';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import { amountText, quantityText, rateText } from '../../text/amount-text';
import { every } from '../../text/recurrence-text';

/** Price of the usage of one meter, with the seller's names. */
export interface UsageRate {
  readonly name: string;
  /** Undefined if the meter has no unit. */
  readonly unit: string | undefined;
  readonly price: UsagePrice;
}

/** Currency and recurrence of the prices. */
export interface UsageTermsScale {
  readonly currency: string;
  readonly recurrence: Recurrence;
}

/** Rates that can charge anything, with the known meters. */
export function usageRates(prices: readonly MeterPrice[], meters: readonly Meter[]): UsageRate[] {
  return prices.flatMap((given) => {
    const price = fromProtoMeterPrice(given);
    const meter = meters.find(({ id }) => id === given.meterId);
    // A deleted meter counts nothing more, but a minimum is due without usage, too.
    const isCharged = meter === undefined ? hasMinimum(price) : canCharge(price);
    return isCharged ? [{ name: meter?.name ?? 'Usage', unit: meter?.unit, price }] : [];
  });
}

/** A rate in words: `Storage (GB): 10 included every month, then $0.25 each`. */
export function usageTerms({ name, unit, price }: UsageRate, scale: UsageTermsScale): string {
  const { includedUnits } = price;
  const parts = [
    ...(isPositive(includedUnits)
      ? [`${quantityText(includedUnits)} included ${every(scale.recurrence)}, then `]
      : []),
    rateTerms(price, scale.currency),
    boundTerms(price, scale),
  ];
  return `${unit === undefined ? name : `${name} (${unit})`}: ${parts.join('')}`;
}

function rateTerms({ type, unitAmount, tiers, packageSize }: UsagePrice, currency: string): string {
  if (unitAmount !== null) {
    const rate = rateText(unitAmount, currency);
    return type === 'PACKAGE' && packageSize !== null
      ? `${rate} per ${quantityText(packageSize)}, rounded up`
      : `${rate} each`;
  }
  const steps = tiers ?? [];
  const { lowest, highest } = rangeOf(steps.map((tier) => tier.unitAmount));
  const { highest: flat } = rangeOf(steps.map(({ flatAmount }) => flatAmount));
  const [least, most] = [rateText(lowest, currency), rateText(highest, currency)];
  const rates =
    least === most ? `${least} each` : `from ${least} to ${most} each, depending on the volume`;
  return isPositive(flat) ? `${rates}, plus up to ${rateText(flat, currency)} per tier` : rates;
}

function boundTerms(
  { minimumAmount, maximumAmount }: UsagePrice,
  { currency, recurrence }: UsageTermsScale,
): string {
  const bounds = [
    ...(minimumAmount === null || minimumAmount === 0n
      ? []
      : [`at least ${amountText(minimumAmount, currency)}`]),
    ...(maximumAmount === null ? [] : [`at most ${amountText(maximumAmount, currency)}`]),
  ];
  return bounds.length === 0 ? '' : `, ${bounds.join(' and ')} ${every(recurrence)}`;
}

function rangeOf(rates: readonly string[]): { lowest: string; highest: string } {
  const sorted = rates.toSorted((a, b) => Decimal.parse(a).compare(Decimal.parse(b)));
  return { lowest: sorted[0] ?? '0', highest: sorted.at(-1) ?? '0' };
}

function hasMinimum({ minimumAmount }: UsagePrice): boolean {
  return minimumAmount !== null && minimumAmount > 0n;
}

function canCharge(price: UsagePrice): boolean {
  const { unitAmount, tiers, maximumAmount } = price;
  if (maximumAmount === 0n) return false;
  const rates = [
    unitAmount ?? '0',
    ...(tiers ?? []).flatMap((tier) => [tier.unitAmount, tier.flatAmount]),
  ];
  return hasMinimum(price) || rates.some(isPositive);
}

function isPositive(decimal: string): boolean {
  return Decimal.parse(decimal).compare(Decimal.of(0n)) > 0;
}

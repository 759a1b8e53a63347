import type { Recurrence } from '@billing/kernel/billing-period';
import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { Meter } from '@billing/proto/billing/metering/v1/metering';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import { amountText, quantityText, rateText } from '@billing/documents/amount-text';
import { joined, type Text } from '@billing/documents/reader';
import { every } from '../../text/recurrence-text';
import { say } from '@billing/documents/say';

/** Price of the usage of one meter, with the seller's names. */
export interface UsageRate {
  readonly name: Text;
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
    return isCharged ? [{ name: meter?.name ?? say('usage.usage'), unit: meter?.unit, price }] : [];
  });
}

/** A rate in words: `Storage (GB): 10 included every month, then $0.25 each`. */
export function usageTerms({ name, unit, price }: UsageRate, scale: UsageTermsScale): Text {
  const { includedUnits } = price;
  const bounded = boundTerms(rateTerms(price, scale.currency), price, scale);
  const terms = isPositive(includedUnits)
    ? say('usage.included', {
        quantity: quantityText(includedUnits),
        recurrence: every(scale.recurrence),
        terms: bounded,
      })
    : bounded;
  const named: Text = unit === undefined ? name : joined([name, ` (${unit})`], '');
  return say('usage.named', { name: named, terms });
}

function rateTerms({ type, unitAmount, tiers, packageSize }: UsagePrice, currency: string): Text {
  if (unitAmount !== null) {
    const rate = rateText(unitAmount, currency);
    return type === 'PACKAGE' && packageSize !== null
      ? say('usage.package', { rate, size: quantityText(packageSize) })
      : say('terms.each', { rate });
  }
  const steps = tiers ?? [];
  const { lowest, highest } = rangeOf(steps.map((tier) => tier.unitAmount));
  const { highest: flat } = rangeOf(steps.map(({ flatAmount }) => flatAmount));
  const [least, most] = [rateText(lowest, currency), rateText(highest, currency)];
  const isOne = Decimal.parse(lowest).compare(Decimal.parse(highest)) === 0;
  const terms = isOne ? say('terms.each', { rate: least }) : say('usage.range', { least, most });
  return isPositive(flat)
    ? say('usage.plusFlat', { terms, flat: rateText(flat, currency) })
    : terms;
}

function boundTerms(
  terms: Text,
  { minimumAmount, maximumAmount }: UsagePrice,
  { currency, recurrence }: UsageTermsScale,
): Text {
  const least =
    minimumAmount === null || minimumAmount === 0n
      ? undefined
      : amountText(minimumAmount, currency);
  const most = maximumAmount === null ? undefined : amountText(maximumAmount, currency);
  const each = every(recurrence);
  if (least !== undefined && most !== undefined) {
    return say('usage.atLeastAtMost', { terms, least, most, recurrence: each });
  }
  if (least !== undefined) return say('usage.atLeast', { terms, least, recurrence: each });
  return most === undefined ? terms : say('usage.atMost', { terms, most, recurrence: each });
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

import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { LineItem as ProtoLineItem } from '@billing/proto/billing/checkout/v1/checkout';
import type { UsageQuantity as ProtoUsageQuantity } from '@billing/proto/billing/metering/v1/metering';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import type { MeterRate, UsageLine, UsageQuantity } from './usage-line';

/** Throws an Error for a kind of price unknown to this version: a guessed amount would be wrong. */
export function fromProtoMeterRate(price: MeterPrice): MeterRate {
  return {
    id: price.id,
    meterId: price.meterId,
    ...fromProtoMeterPrice(price),
  };
}

export function fromProtoUsageQuantity({
  quantity,
  creditsUsed,
}: ProtoUsageQuantity): UsageQuantity {
  return { quantity, creditsUsed };
}

/**
 * Maps a usage line of a voided invoice, to be billed by another one; undefined for a line that
 * bills no usage.
 */
export function fromProtoUsageLine(line: ProtoLineItem): UsageLine | undefined {
  const { meterId, priceId, details, periodStart, periodEnd } = line;
  if (meterId === undefined) return undefined;
  if (priceId === undefined || details === undefined) throw new Error('A usage line has a price');
  if (periodStart === undefined || periodEnd === undefined) {
    throw new Error('A usage line has a period');
  }
  return {
    description: line.description,
    meterId,
    priceId,
    quantity: line.quantity,
    unitAmount: line.unitAmount,
    amount: line.amount,
    details: {
      ...details,
      tiers: details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? null })),
    },
    period: { start: periodStart, end: periodEnd },
  };
}

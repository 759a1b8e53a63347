import {
  BillingInterval,
  type MeterPrice,
  MeterPricingType,
  PricingType,
  type Tier,
} from '../gen/billing/catalog/v1/catalog';
import { enumNames } from './enum-names';

export const pricingTypes = enumNames(PricingType, 'PRICING_TYPE_');
export const billingIntervals = enumNames(BillingInterval, 'BILLING_INTERVAL_');
export const meterPricingTypes = enumNames(MeterPricingType, 'METER_PRICING_TYPE_');

/** An empty list in a message means no tiers. */
export function fromProtoTiers(tiers: readonly Tier[]) {
  if (tiers.length === 0) return null;
  return tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo ?? null,
    unitAmount,
    flatAmount: flatAmount ?? '0',
  }));
}

/** Terms that price the usage of a period. */
export function fromProtoMeterPrice(price: MeterPrice) {
  return {
    type: meterPricingTypes.nameOf(price.type),
    unitAmount: price.unitAmount ?? null,
    tiers: fromProtoTiers(price.tiers),
    includedUnits: price.includedUnits ?? '0',
    packageSize: price.packageSize ?? null,
    minimumAmount: price.minimumAmount ?? null,
    maximumAmount: price.maximumAmount ?? null,
  };
}

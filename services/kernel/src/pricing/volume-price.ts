import { Decimal } from '../decimal';
import { chargeIn, type Tier, type TierCharge } from './tiers';

/**
 * Price of units with volume tiers: all units have the price of the tier that contains `quantity`,
 * so one unit more may cost less in total. Returns only that tier, and none for no units. A
 * quantity without a tier is a bug and throws an Error.
 */
export function volumePrice(tiers: readonly Tier[], quantity: Decimal): TierCharge[] {
  if (quantity.compare(Decimal.of(0n)) <= 0) return [];
  const tier = tiers.find(
    ({ upTo }) => upTo === null || Decimal.parse(upTo).compare(quantity) >= 0,
  );
  if (tier === undefined) throw new Error(`No tier holds ${quantity.toString()} units`);
  return [chargeIn(tier, quantity)];
}

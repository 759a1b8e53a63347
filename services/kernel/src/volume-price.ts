import { Decimal } from './decimal';
import { chargeIn, type Tier, type TierCharge } from './tiers';

/**
 * Volume tiers: all units cost what the one tier costs in which `quantity` lies, so that one unit
 * more may cost less altogether. Gives that tier alone, and none for no units. A quantity that no
 * tier holds is a bug and throws an Error.
 */
export function volumePrice(tiers: readonly Tier[], quantity: Decimal): TierCharge[] {
  if (quantity.compare(Decimal.of(0n)) <= 0) return [];
  const tier = tiers.find(
    ({ upTo }) => upTo === null || Decimal.parse(upTo).compare(quantity) >= 0,
  );
  if (tier === undefined) throw new Error(`No tier holds ${quantity.toString()} units`);
  return [chargeIn(tier, quantity)];
}

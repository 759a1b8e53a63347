import { Decimal } from '../decimal';
import { chargeIn, type Tier, type TierCharge } from './tiers';

/**
 * Price of units with graduated tiers: each unit has the price of the tier that contains it.
 * Returns the tiers that `quantity` reaches, in order; their units sum to it. No units reach no
 * tier, so that not even a flat amount is due. A quantity without a tier is a bug and throws an
 * Error, since it would be free.
 */
export function graduatedPrice(tiers: readonly Tier[], quantity: Decimal): TierCharge[] {
  const charges: TierCharge[] = [];
  let reached = Decimal.of(0n);
  for (const tier of tiers) {
    if (quantity.compare(reached) <= 0) return charges;
    const end = endWithin(tier, quantity);
    charges.push(chargeIn(tier, end.subtract(reached)));
    reached = end;
  }
  if (quantity.compare(reached) > 0) throw new Error(`No tier holds ${quantity.toString()} units`);
  return charges;
}

function endWithin({ upTo }: Tier, quantity: Decimal): Decimal {
  if (upTo === null) return quantity;
  const bound = Decimal.parse(upTo);
  return bound.compare(quantity) < 0 ? bound : quantity;
}

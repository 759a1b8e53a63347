import { recurringCharge } from '@billing/kernel/pricing';
import { usageCharge } from '@billing/kernel/usage-pricing';
import type { MeterPrice, Product } from './price-text';

/** What so many units cost in one period, in the smallest unit. */
export interface CurvePoint {
  readonly quantity: number;
  readonly total: number;
  /** The total by the quantity, for a picture: not rounded to what could be billed. */
  readonly perUnit: number;
}

// Enough that steps look like steps on a wide screen.
const evenPoints = 60;
// Where no tier ends there is nothing to show the reader but a straight line.
const quantityOfStraightLine = 20;
// Of the way to the last bound, so that the open tier is seen.
const beyondLastBound = 1.5;

/** What a product's period costs by quantity, by the rules that bill it. */
export function curveOfProduct({
  type,
  amount,
  tiers,
}: Pick<Product, 'type' | 'amount' | 'tiers'>): readonly CurvePoint[] {
  const price = { type, amount: BigInt(amount), tiers };
  return curve(boundsOf(tiers), (quantity) => recurringCharge({ ...price, quantity }).amount);
}

/** What a period's usage costs by units, before credits, by the rules that bill it. */
export function curveOfMeterPrice(price: MeterPrice): readonly CurvePoint[] {
  const { minimumAmount, maximumAmount, includedUnits, packageSize } = price;
  const terms = {
    ...price,
    minimumAmount: minimumAmount === null ? null : BigInt(minimumAmount),
    maximumAmount: maximumAmount === null ? null : BigInt(maximumAmount),
  };
  const included = Math.ceil(Number(includedUnits));
  const packages = packageSize === null ? [] : [3 * Math.ceil(Number(packageSize))];
  const bounds = [...boundsOf(price.tiers), ...packages].map((bound) => bound + included);
  return curve(
    [included, ...bounds],
    (quantity) => usageCharge(terms, { quantity: String(quantity) }).amount,
  );
}

function curve(
  bounds: readonly number[],
  amountOf: (quantity: number) => bigint,
): readonly CurvePoint[] {
  const most = Math.max(quantityOfStraightLine, ...bounds.map((bound) => beyondLastBound * bound));
  const steps = Array.from({ length: evenPoints }, (_, index) =>
    Math.round(((index + 1) / evenPoints) * most),
  );
  // Both sides of each bound: between them the price may jump.
  const edges = bounds.flatMap((bound) => [bound, bound + 1]);
  const quantities = [...new Set([1, ...steps, ...edges])].filter((quantity) => quantity >= 1);
  return quantities
    .sort((a, b) => a - b)
    .map((quantity) => {
      const total = Number(amountOf(quantity));
      return { quantity, total, perUnit: total / quantity };
    });
}

function boundsOf(tiers: Product['tiers']): readonly number[] {
  return (tiers ?? []).flatMap(({ upTo }) => (upTo === null ? [] : [Math.floor(Number(upTo))]));
}

import { recurringCharge } from '@billing/kernel/pricing';
import { usageCharge } from '@billing/kernel/usage-pricing';
import type { MeterPrice, Product } from '../../resources/product';

/** Price of a quantity in one period, in the smallest currency unit. */
export interface CurvePoint {
  readonly quantity: number;
  readonly total: number;
  /** Total divided by the quantity, for a chart: not rounded to a billable amount. */
  readonly perUnit: number;
}

// Enough points that steps look like steps on a wide screen.
const evenPoints = 60;
// A price without tiers is a straight line, which a short range shows well.
const quantityOfStraightLine = 20;
// Multiple of the last bound, so that the open tier is visible.
const beyondLastBound = 1.5;

/** Price of a product's period by quantity, computed by the billing rules. */
export function curveOfProduct({
  type,
  amount,
  tiers,
}: Pick<Product, 'type' | 'amount' | 'tiers'>): readonly CurvePoint[] {
  const price = { type, amount: BigInt(amount), tiers };
  return curve(boundsOf(tiers), (quantity) => recurringCharge({ ...price, quantity }).amount);
}

/** Price of a period's usage by units, before credits, computed by the billing rules. */
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
  // Both sides of each bound, because the price may jump between them.
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

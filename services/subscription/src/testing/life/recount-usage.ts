import { type Fraction, fraction, minus, none } from './fraction';

// The second count of usage. It shares no code with the services.

/** Price of a meter beyond the units that are included in each period. */
export interface PlainMeter {
  /** For each unit, in tenths of a cent. */
  readonly tenths: bigint;
  readonly included: bigint;
}

/** Units that were used. */
export interface Use {
  readonly at: number;
  /** Number of the meter. */
  readonly meter: number;
  readonly units: number;
}

/** Products of the items that are there from an instant of a period on. */
interface Stay {
  readonly from: number;
  readonly productIds: readonly string[];
}

/** What usage costs by the price of a product. */
interface CountedUse {
  readonly productId: string;
  readonly cost: Fraction;
}

interface Part {
  readonly productId: string;
  readonly price: PlainMeter;
  readonly from: number;
  to: number;
}

/**
 * Counts the usage of a period up to an instant: each meter from the beginning of the period on, by
 * the price of the first item that has one.
 */
export function countUsage(
  stays: readonly Stay[],
  {
    until,
    used,
    priceOf,
    meters,
  }: {
    readonly until: number;
    readonly used: readonly Use[];
    readonly priceOf: (productId: string, meter: number) => PlainMeter | undefined;
    readonly meters: number;
  },
): CountedUse[] {
  return Array.from({ length: meters }, (_none, meter) => {
    const parts = partsOf(stays, until, (productId) => priceOf(productId, meter));
    const own = used.filter((use) => use.meter === meter);
    let quantity = 0n;
    return parts.map(({ productId, price, from, to }, index): CountedUse => {
      const before = index === 0 ? none : costOf(price, quantity);
      const within = own.filter(({ at }) => at >= from && at < to);
      quantity += BigInt(within.reduce((sum, { units }) => sum + units, 0));
      return { productId, cost: minus(costOf(price, quantity), before) };
    });
  }).flat();
}

/** The parts of a period in which one product prices a meter. */
function partsOf(
  stays: readonly Stay[],
  until: number,
  priceOf: (productId: string) => PlainMeter | undefined,
): Part[] {
  const parts: Part[] = [];
  stays.forEach(({ from, productIds }, index) => {
    const to = Math.min(stays[index + 1]?.from ?? until, until);
    const productId = productIds.find((id) => priceOf(id) !== undefined);
    const price = productId === undefined ? undefined : priceOf(productId);
    if (from >= to || productId === undefined || price === undefined) return;
    const last = parts.at(-1);
    if (last?.to === from && last.productId === productId) last.to = to;
    else parts.push({ productId, price, from, to });
  });
  return parts;
}

function costOf({ tenths, included }: PlainMeter, quantity: bigint): Fraction {
  return quantity > included ? fraction((quantity - included) * tenths, 10n) : none;
}

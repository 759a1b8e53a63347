import { roundedQuotient } from '../decimal';
import { smallerOf, sumOf } from '../money';

/** Priced amounts are without tax where prices exclude it, otherwise with it. In minor units. */
interface PricedTotal {
  /** Priced amount after its discount. */
  readonly priced: bigint;
  /** The same with tax. */
  readonly total: bigint;
}

/** Line of an invoice that a change may give back. */
export interface CreditableLine extends PricedTotal {
  readonly lineItemId: string;
  /** Item that the line has charged for time; null: none, or usage. */
  readonly itemId: string | null;
  /** Amount with tax that is neither credited nor reserved; below 0 for a line below 0. */
  readonly left: bigint;
}

/** Part of a line that a credit note gives back, above 0, in minor units. */
interface LineCredit {
  readonly lineItemId: string;
  readonly priced: bigint;
  readonly total: bigint;
}

/**
 * The credit with tax of a priced amount of a line: at most what is left of the line and of its
 * invoice, at least 0.
 */
export function creditWithTax(
  line: PricedTotal,
  priced: bigint,
  { left, leftOfAll }: { readonly left: bigint; readonly leftOfAll: bigint },
): bigint {
  const total = line.priced === 0n ? 0n : roundedQuotient(priced * line.total, line.priced);
  return atLeastZero(smallerOf(smallerOf(total, left), leftOfAll));
}

/**
 * Largest priced amount that changes can give back of an invoice: what is left of it, and of its
 * lines for time.
 */
export function roomOf(lines: readonly CreditableLine[]): bigint {
  const whole = {
    priced: sumOf(lines.map(({ priced }) => priced)),
    total: sumOf(lines.map(({ total }) => total)),
  };
  const left = sumOf(lines.map((line) => line.left));
  return smallerOf(pricedOf(whole, left), sumOf(lines.map(pricedLeftOf)));
}

/**
 * Splits a priced amount over the lines of an invoice for time: first those of some items, then the
 * others in their order, each up to what is left of it.
 */
export function creditLines(
  lines: readonly CreditableLine[],
  { priced, itemIds }: { readonly priced: bigint; readonly itemIds: readonly string[] },
): LineCredit[] {
  let toPlace = priced;
  let leftOfAll = sumOf(lines.map(({ left }) => left));
  const isFirst = ({ itemId }: CreditableLine) => itemId !== null && itemIds.includes(itemId);
  const first = lines.filter(isFirst);
  const others = lines.filter((line) => !isFirst(line));
  return [...first, ...others].flatMap((line) => {
    const part = smallerOf(toPlace, pricedLeftOf(line));
    const total = creditWithTax(line, part, { left: line.left, leftOfAll });
    if (total === 0n) return [];
    toPlace -= part;
    leftOfAll -= total;
    return [{ lineItemId: line.lineItemId, priced: part, total }];
  });
}

function pricedLeftOf(line: CreditableLine): bigint {
  return line.itemId === null ? 0n : pricedOf(line, line.left);
}

/** Priced amount of an amount with tax, at least 0. */
function pricedOf({ priced, total }: PricedTotal, amount: bigint): bigint {
  if (total <= 0n || amount <= 0n) return 0n;
  return roundedQuotient(amount * priced, total);
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

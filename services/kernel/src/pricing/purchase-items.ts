import type { Recurrence } from '../billing-period';
import { isAmount, sumOf } from '../money';
import { type RecurringPrice, recurringCharge } from './pricing';
import { optionalProblems, wholeNumberProblems } from '../input-problems';

/** Maximum number of items that are bought together. */
export const itemsMax = 20;

const quantityMax = 1_000_000;

/** An item as a caller names it. */
export interface NamedItem {
  readonly productId?: string | undefined;
  readonly priceId?: string | undefined;
  readonly quantity?: number | undefined;
}

/** An item with its price. */
export interface PricedItem {
  readonly productId: string;
  readonly price: Omit<RecurringPrice, 'quantity'> & Recurrence & { readonly currency: string };
  readonly quantity: number;
}

/** Problems of a list of items that follow from the list alone. */
export function namedItemProblems(items: readonly NamedItem[]): string[] {
  if (items.length === 0) return ['Must have at least 1 element'];
  if (items.length > itemsMax) return [`Must have at most ${String(itemsMax)} elements`];
  return items.flatMap(({ productId, priceId, quantity }, index) => [
    ...at(index, 'productId', productId === undefined && priceId === undefined ? 'Required' : null),
    ...optionalProblems(quantity, (count) =>
      wholeNumberProblems(count, { min: 1, max: quantityMax }),
    ).flatMap((problem) => at(index, 'quantity', problem)),
  ]);
}

/**
 * Problems of items that are bought together: each product stands at most once, all have one
 * currency and one billing interval, and together they cost at most the largest amount. A single
 * item may be bought once, where the purchase allows it.
 */
export function pricedItemProblems(
  items: readonly PricedItem[],
  {
    named,
    isOneTimeAllowed,
  }: {
    /** The same items, as the caller names them. */
    readonly named: readonly NamedItem[];
    readonly isOneTimeAllowed: boolean;
  },
): string[] {
  const [main] = items;
  if (main === undefined) return [];
  const isSingle = items.length === 1 && isOneTimeAllowed;
  const problems = items.flatMap(({ productId, price, quantity }, index) => {
    const field = named[index]?.priceId === undefined ? 'productId' : 'priceId';
    const isOneTime = price.billingInterval === 'ONE_TIME';
    const isOther = price.currency !== main.price.currency;
    const isTwice = items.findIndex((item) => item.productId === productId) < index;
    const isTooMuch = !isAmount(chargeOf({ price, quantity }));
    return [
      ...at(index, field, isOneTime && !isSingle ? 'Price is not recurring' : null),
      ...at(index, field, isOther ? 'Price has another currency' : null),
      ...at(index, field, isTwice ? 'Product is there twice' : null),
      ...at(index, field, isAnotherInterval(price, main.price) ? sharedInterval : null),
      ...at(index, 'quantity', isTooMuch ? tooMuch : null),
    ];
  });
  if (problems.length > 0) return problems;
  return isAmount(sumOf(items.map(chargeOf))) ? [] : [tooMuch];
}

const sharedInterval = 'Items must share one billing interval';
const tooMuch = 'The total exceeds the maximum amount';

function chargeOf({ price, quantity }: Pick<PricedItem, 'price' | 'quantity'>): bigint {
  return recurringCharge({ ...price, quantity }).amount;
}

// A one-time price has its own problem.
function isAnotherInterval(price: Recurrence, main: Recurrence): boolean {
  if (price.billingInterval === 'ONE_TIME' || main.billingInterval === 'ONE_TIME') return false;
  return (
    price.billingInterval !== main.billingInterval || price.intervalCount !== main.intervalCount
  );
}

function at(index: number, field: keyof NamedItem, problem: string | null): string[] {
  return problem === null ? [] : [`${String(index)}.${field}: ${problem}`];
}

import { exponentOf, isCurrency } from '@billing/kernel/currency';

/**
 * Sorts by amount, largest first. Amounts of different currencies cannot be compared exactly; their
 * whole units are close enough to choose what to show first.
 */
export function largestFirst<T extends { readonly currency: string }>(
  all: readonly T[],
  amountOf: (one: T) => number | string,
): readonly T[] {
  const units = (one: T) => {
    const exponent = isCurrency(one.currency) ? exponentOf(one.currency) : 0;
    return Number(amountOf(one)) / 10 ** exponent;
  };
  return [...all].sort((a, b) => units(b) - units(a));
}

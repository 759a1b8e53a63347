import { exponentOf, isCurrency } from '@billing/kernel/currency';

/** What has the most first. Amounts of two currencies cannot be compared exactly; their whole units come close enough to choose what is looked at first. */
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

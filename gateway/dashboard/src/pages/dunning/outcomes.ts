/** A figure for each outcome of an invoice whose first charge failed. */
export interface DunningCounts<T> {
  readonly failed: T;
  readonly recovered: {
    readonly first: T;
    readonly second: T;
    readonly third: T;
    readonly later: T;
    readonly otherwise: T;
  };
  readonly open: T;
  readonly uncollectible: T;
  readonly voided: T;
}

/**
 * Figures in the order of the funnel; the first is the sum of the others. Rare outcomes are left
 * out if they are zero.
 */
export function outcomes<T extends number | string>({
  failed,
  recovered,
  open,
  uncollectible,
  voided,
}: DunningCounts<T>): readonly { readonly label: string; readonly value: T }[] {
  const all = [
    { label: 'Failed payments', value: failed },
    { label: 'Recovered by first retry', value: recovered.first },
    { label: 'Recovered by second retry', value: recovered.second },
    { label: 'Recovered by third retry', value: recovered.third },
    { label: 'Recovered by later retry', value: recovered.later, isRare: true },
    { label: 'Recovered manually', value: recovered.otherwise },
    { label: 'Open', value: open },
    { label: 'Uncollectible', value: uncollectible },
    { label: 'Voided', value: voided, isRare: true },
  ];
  return all
    .filter(({ value, isRare = false }) => !isRare || BigInt(value) !== 0n)
    .map(({ label, value }) => ({ label, value }));
}

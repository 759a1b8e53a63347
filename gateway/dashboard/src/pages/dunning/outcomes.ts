/** A figure for each way in which an invoice whose first charge failed can have ended. */
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

/** The figures from top to bottom of the funnel; the first is the sum of the others, and those that seldom occur are left out where nothing is. */
export function outcomes<T extends number | string>({
  failed,
  recovered,
  open,
  uncollectible,
  voided,
}: DunningCounts<T>): readonly { readonly label: string; readonly value: T }[] {
  const all = [
    { label: 'First charge failed', value: failed },
    { label: 'Paid by the first retry', value: recovered.first },
    { label: 'Paid by the second retry', value: recovered.second },
    { label: 'Paid by the third retry', value: recovered.third },
    { label: 'Paid by a later retry', value: recovered.later, isSeldom: true },
    { label: 'Paid by hand or another card', value: recovered.otherwise },
    { label: 'Still open', value: open },
    { label: 'Given up', value: uncollectible },
    { label: 'Voided', value: voided, isSeldom: true },
  ];
  return all
    .filter(({ value, isSeldom = false }) => !isSeldom || BigInt(value) !== 0n)
    .map(({ label, value }) => ({ label, value }));
}

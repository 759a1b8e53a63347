/** Integers by name. */
export type Counts = Readonly<Record<string, bigint>>;

/** Counts that are added to one row. */
export interface Addend {
  readonly row: string;
  readonly counts: Counts;
}

/** Sums by row and name. */
export type Totals = ReadonlyMap<string, Counts>;

/** Accumulates exact sums. */
export class TotalsSum {
  private readonly rows = new Map<string, Record<string, bigint>>();

  constructor(totals: Iterable<readonly [string, Counts]> = []) {
    for (const [row, counts] of totals) this.add({ row, counts });
  }

  add({ row, counts }: Addend): void {
    const sums = this.rows.get(row) ?? {};
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0n) + count;
    this.rows.set(row, sums);
  }

  totals(): Totals {
    return this.rows;
  }
}

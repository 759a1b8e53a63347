import type { Comparison } from '../figures/comparison';
import type { Stage } from '../stage/stage';

/** Duration and number of measurements. */
export interface Effort {
  readonly pairs: number;
  /** Seconds of each run of a pair. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Also reduces the amount of prepared data. */
  readonly isQuick: boolean;
  /** Numbers of processes of `subscription` that renew, the first of them 1; absent: only one. */
  readonly replicas?: readonly number[] | undefined;
}

/** A table of figures without a comparison. */
export interface FigureTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table of exact counts, equal on every machine. */
export type CountTable = FigureTable;

/** The results of a benchmark. */
export interface Findings {
  readonly comparisons?: readonly Comparison[];
  readonly counts?: readonly CountTable[];
  readonly figures?: readonly FigureTable[];
}

/** One benchmark: `npm run bench <name>` runs it alone. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  readonly run: (stage: Stage, effort: Effort) => Promise<Findings>;
}

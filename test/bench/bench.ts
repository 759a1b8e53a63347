import type { Comparison } from './comparison';
import type { Stage } from './stage';

/** How long and how often is measured. */
export interface Effort {
  readonly pairs: number;
  /** Of each run of a pair. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Whether less is to be made, too. */
  readonly isQuick: boolean;
}

/** Rows of figures that say something by themselves. */
export interface FigureTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows of exact numbers, the same on every machine. */
export type CountTable = FigureTable;

/** What a benchmark found out. */
export interface Findings {
  readonly comparisons?: readonly Comparison[];
  readonly counts?: readonly CountTable[];
  readonly figures?: readonly FigureTable[];
}

/** One file of this folder: `npm run bench <name>` runs it alone. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  readonly run: (stage: Stage, effort: Effort) => Promise<Findings>;
}

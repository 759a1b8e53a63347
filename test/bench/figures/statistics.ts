/** Repeated measurements of one quantity. */
export interface Sample {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The target of a figure. */
export type Demand = { readonly atLeast: number } | { readonly atMost: number };

/** `shown` where no target is set. */
export type Verdict = 'met' | 'missed' | 'shown' | `no verdict: ${string}`;

// Beyond this spread other load disturbed the machine, and the figures are not conclusive.
const floorSpreadMax = 0.15;
// A generator that is always busy measures itself.
const generatorCpuMax = 0.9;

export function sampleOf(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new Error('Nothing was measured');
  const upper = sorted[Math.floor(sorted.length / 2)] ?? max;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? min;
  return { median: (lower + upper) / 2, min, max };
}

/** The spread of the measurements, as a share of their median. */
export function spreadOf({ median, min, max }: Sample): number {
  return median === 0 ? 0 : (max - min) / median;
}

/** Judges the median of the ratios, unless the measurement is unreliable. */
export function judge({
  ratio,
  floor,
  generatorCpu,
  demand,
}: {
  ratio: Sample;
  /** The rate of the baseline, the same program each time. */
  floor: Sample;
  /** Share of one core, the highest of all runs. */
  generatorCpu: number;
  /** Undefined: the ratio is only shown. */
  demand: Demand | undefined;
}): Verdict {
  if (generatorCpu > generatorCpuMax) {
    return `no verdict: generator at ${percent(generatorCpu)} CPU`;
  }
  const spread = spreadOf(floor);
  if (spread > floorSpreadMax) return `no verdict: floor spreads ${percent(spread)}`;
  if (demand === undefined) return 'shown';
  const isMet =
    'atLeast' in demand ? ratio.median >= demand.atLeast : ratio.median <= demand.atMost;
  return isMet ? 'met' : 'missed';
}

export function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

/** The median and, in brackets, the minimum and maximum. */
export function spreadText({ median, min, max }: Sample): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

/** Smallest value that is not exceeded by a share of the values; 0 without values. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

/** Verdict on a figure with a limit; none if the data is smaller than the limit is for. */
export function judgeLimit(
  value: number,
  { atMost, isReduced }: { readonly atMost: number; readonly isReduced: boolean },
): Verdict {
  if (isReduced) return 'no verdict: less data';
  return value <= atMost ? 'met' : 'missed';
}

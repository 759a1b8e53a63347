import { createHistogram } from 'node:perf_hooks';

const percentiles = { p50: 50, p90: 90, p99: 99, p99_9: 99.9 };

/** Milliseconds with three significant digits. */
export type Latency = Readonly<Record<keyof typeof percentiles | 'max', number>>;

/**
 * Durations in Node's HDR histogram: the last percentile is as exact as the first, in bounded
 * space.
 */
export class LatencyHistogram {
  // In microseconds; the histogram records integers from 1 on.
  private readonly histogram = createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });

  record(ms: number): void {
    this.histogram.record(Math.max(1, Math.round(ms * 1_000)));
  }

  latency(): Latency {
    const at = Object.entries(percentiles).map(([name, percentile]) => [
      name,
      this.histogram.percentile(percentile) / 1_000,
    ]);
    return { ...Object.fromEntries(at), max: this.histogram.max / 1_000 } as Latency;
  }
}

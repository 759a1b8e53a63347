import { type Clock, monotonicMs } from '../clock';
import { ClockSkew } from '../mongo/clock-skew';
import type { Logger } from '../telemetry/logging';
import type { Metrics } from '../telemetry/metrics';
import type { PeriodicWork } from './periodic-work';

const compareEveryMs = 60_000;

interface Comparing {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'observeClockSkew'>;
}

/** Compares the clock with the database's at the start, and each minute. */
export function clockComparison(
  databaseTime: () => Promise<Date>,
  { clock, logger, metrics }: Comparing,
): PeriodicWork {
  const skew = new ClockSkew({ databaseTime, clock, nowMs: monotonicMs, logger });
  metrics.observeClockSkew(() => skew.seconds);
  const run = () => skew.measure();
  return { name: 'compare clocks', everyMs: compareEveryMs, run, writes: 'nothing' };
}

import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Slices } from '@billing/chassis/slices';
import type { Meter } from '../meter/meter';
import { hourMs, hourOf, sealableUntil, sealAfterMs } from './hour';
import { sealSeries } from './sealing';
import type { SeriesStore } from './series-store';
import type { SeriesDocument, UsageStore } from './store';

export interface SealingDependencies {
  readonly series: SeriesStore;
  readonly meters: AggregateCollection<Meter>;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  /** Share of series that this replica seals. */
  readonly slices: Pick<Slices, 'owns'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 20;
// Read together with series of other replicas.
const readMax = 200;
// A larger backlog waits for the next round.
const batchesMax = 50;
// Retry interval: a batch in flight or an unresponsive server is resolved by then.
const retryAfterMs = 60_000;

/** Seals past hours of every used series. Without it, reads are slower but never wrong. */
export async function sealHours(
  dependencies: SealingDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 1; batch <= batchesMax && !signal.aborted; batch += 1) {
    const { series, slices, clock } = dependencies;
    const due = await series.findDue(clock.now(), readMax);
    const own = due.filter(({ _id }) => slices.owns(_id)).slice(0, batchMax);
    for (const one of own) await sealOne(one, dependencies);
    if (own.length < batchMax) return;
  }
}

async function sealOne(document: SeriesDocument, dependencies: SealingDependencies): Promise<void> {
  // Claimed before any read: usage that arrives from here on schedules the series again.
  if (!(await dependencies.series.claim(document))) return;
  const { customerId, meterId } = document;
  const tenant = tenantOf(document);
  const usage = dependencies.usageOf({ tenant });
  const now = dependencies.clock.now();
  try {
    const next = await sealUntilNow(document, { usage, now, dependencies });
    if (next !== undefined) await usage.scheduleSealing([{ customerId, meterId, at: next }]);
  } catch (error) {
    dependencies.logger.warn(
      { err: error, series: document._id },
      'sealing usage failed, retrying',
    );
    await usage.scheduleSealing([
      { customerId, meterId, at: new Date(now.getTime() + retryAfterMs) },
    ]);
  }
}

/** Returns the real time of the next possible sealing; undefined if nothing is left. */
async function sealUntilNow(
  document: SeriesDocument,
  { usage, now, dependencies }: { usage: UsageStore; now: Date; dependencies: SealingDependencies },
): Promise<Date | undefined> {
  const { customerId, meterId } = document;
  const tenant = tenantOf(document);
  const meter = await dependencies.meters.within({ tenant, now }).find(meterId);
  const last = await usage.edgeOf({ customerId, meterId }, 'last');
  if (meter === undefined || last === null) return undefined;
  const { aggregation, uniqueProperty } = meter.state;
  const series = { customerId, meterId, aggregation, uniqueProperty };
  // With a manual clock every event takes the late path, so any hour may be sealed except the
  // current one.
  const until = tenant.manualClock ? hourOf(last) : sealableUntil(now);
  if (!(await sealSeries(usage, series, { until, now })))
    return new Date(now.getTime() + retryAfterMs);
  if (tenant.manualClock || last < until) return undefined;
  return new Date(until.getTime() + hourMs + sealAfterMs);
}

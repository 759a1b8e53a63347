import { tenantOf } from '@billing/chassis/aggregate-document';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Meter } from './meter';
import type { SeriesStore } from './series-store';
import { hourMs, hourOf, sealableUntil, sealAfterMs } from './usage-hour';
import { sealSeries } from './usage-sealing';
import type { SeriesDocument, UsageStore } from './usage-store';

/** What sealing works with. */
export interface SealingDependencies {
  readonly series: SeriesStore;
  readonly meters: AggregateCollection<Meter>;
  readonly usageOf: (context: Pick<CallContext, 'tenant'>) => UsageStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 20;
// A backlog of more waits for the next round.
const batchesMax = 50;
// A batch under way, or a server that does not answer, is over by then.
const againMs = 60_000;

/** Seals the hours that are past, of every series that was used. Without it reads are slower and never wrong. */
export async function sealHours(
  dependencies: SealingDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 1; batch <= batchesMax && !signal.aborted; batch += 1) {
    const due = await dependencies.series.findDue(dependencies.clock.now(), batchMax);
    for (const one of due) await sealOne(one, dependencies);
    if (due.length < batchMax) return;
  }
}

async function sealOne(document: SeriesDocument, dependencies: SealingDependencies): Promise<void> {
  // First of all: who uses the series from here on has it looked at again.
  if (!(await dependencies.series.take(document))) return;
  const { customerId, meterId } = document;
  const tenant = tenantOf(document);
  const usage = dependencies.usageOf({ tenant });
  const now = dependencies.clock.now();
  try {
    const next = await sealUntilNow(document, { usage, now, dependencies });
    if (next !== undefined) await usage.wake([{ customerId, meterId, at: next }]);
  } catch (error) {
    dependencies.logger.warn(
      { err: error, series: document._id },
      'sealing usage failed, retrying',
    );
    await usage.wake([{ customerId, meterId, at: new Date(now.getTime() + againMs) }]);
  }
}

/** Gives the real time at which more can be sealed; undefined where there is nothing more. */
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
  // Where the clock is manual every event takes the late path, so any hour may be sealed: all but the one that is in use.
  const until = tenant.manualClock ? hourOf(last) : sealableUntil(now);
  if (!(await sealSeries(usage, series, { until, now }))) return new Date(now.getTime() + againMs);
  if (tenant.manualClock || last < until) return undefined;
  return new Date(until.getTime() + hourMs + sealAfterMs);
}

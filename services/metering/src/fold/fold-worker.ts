import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Meter } from '../meter/meter';
import type { MeasuredSeries } from '../usage/hour';
import { seriesOfKey } from '../usage/series-key';
import { foldSeries } from './fold-series';
import {
  foldAfterMs,
  type FoldScheduleStore,
  type FoldSeriesDocument,
} from './fold-schedule-store';
import type { SeriesStorage } from './series-storage';

export interface FoldDependencies {
  readonly schedule: FoldScheduleStore;
  readonly meters: AggregateCollection<Meter>;
  readonly storageOf: (
    series: MeasuredSeries & { readonly environmentId: string },
  ) => SeriesStorage;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 200;
// A larger backlog waits for the next round.
const batchesMax = 50;
const concurrentFolds = 8;
const retryAfterMs = 60_000;

/** Folds due series. Without it, reads are slower but never wrong. */
export async function foldDueSeries(
  dependencies: FoldDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 1; batch <= batchesMax && !signal.aborted; batch += 1) {
    const due = await dependencies.schedule.findDue(dependencies.clock.now(), batchMax);
    const waiting = [...due];
    const foldNext = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        if (!signal.aborted) await foldOne(one, dependencies, signal);
      }
    };
    await Promise.all(Array.from({ length: concurrentFolds }, foldNext));
    if (due.length < batchMax) return;
  }
}

async function foldOne(
  document: FoldSeriesDocument,
  dependencies: FoldDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { schedule, clock, logger } = dependencies;
  const now = clock.now();
  const claimed = { ...document, foldAt: new Date(now.getTime() + foldAfterMs) };
  if (!(await schedule.claim(document, claimed.foldAt))) return;
  try {
    const isEmpty = await foldAll(document, dependencies, signal);
    // A writer that woke the series later may still add parts without waking it again.
    const isCold = now.getTime() - document.wokenAt.getTime() >= foldAfterMs;
    if (isEmpty && isCold) await schedule.sleep(claimed);
  } catch (error) {
    logger.warn({ err: error, series: document._id }, 'folding usage failed, retrying');
    await schedule.claim(claimed, new Date(now.getTime() + retryAfterMs));
  }
}

/** Returns true if the series has no parts. */
async function foldAll(
  document: FoldSeriesDocument,
  { meters, storageOf, clock }: FoldDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { environmentId, customerId, meterId } = seriesOfKey(document._id);
  const tenant = tenantOf(document);
  const meter = await meters.within({ tenant, now: clock.now() }).find(meterId);
  // Only a meter without usage can be deleted.
  if (meter === undefined) return true;
  const { aggregation, uniqueProperty } = meter.state;
  const storage = storageOf({ environmentId, customerId, meterId, aggregation, uniqueProperty });
  for (;;) {
    const { parts, left } = await foldSeries(storage, aggregation);
    if (left !== 'more' || signal.aborted) return parts === 0 && left === 'nothing';
  }
}

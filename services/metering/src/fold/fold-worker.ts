import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Clock, sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import type { QuietPoll } from '@billing/chassis/quiet-poll';
import { Semaphore } from '@billing/chassis/semaphore';
import type { Slices } from '@billing/chassis/slices';
import type { Meter } from '../meter/meter';
import type { OwnedSeries } from '../usage/hour';
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
  readonly storageOf: (series: OwnedSeries) => SeriesStorage;
  /** Called before a series is folded. */
  readonly prepare: (series: OwnedSeries, signal: AbortSignal) => Promise<void>;
  /** Share of series that this replica folds. */
  readonly slices: Pick<Slices, 'filter'>;
  /** Saves looks for due series while there are none; absent: each run looks. */
  readonly poll?: QuietPoll;
  /** Number of parts of a series. */
  readonly countParts: (k: string) => Promise<number>;
  readonly sizes: SeriesSizes;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Number of parts of the largest series since it was last asked. */
export class SeriesSizes {
  private largest = 0;

  note(parts: number): void {
    this.largest = Math.max(this.largest, parts);
  }

  takeLargest(): number {
    const { largest } = this;
    this.largest = 0;
    return largest;
  }
}

const batchMax = 200;
// A larger backlog waits for the next round.
const batchesMax = 50;
const concurrentFolds = 8;
// While folds are running.
const lookEveryMs = 2_000;
const retryAfterMs = 60_000;

/**
 * Folds due series, and those that become due during the folds. Without it, reads are slower but
 * never wrong.
 */
export async function foldDueSeries(
  dependencies: FoldDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { schedule, poll, clock, logger } = dependencies;
  const folds = new Semaphore(concurrentFolds);
  const running = new Set<Promise<unknown>>();
  /** Resolves when the fold has started. */
  const start = (one: FoldSeriesDocument) =>
    new Promise<void>((resolve) => {
      const fold = folds
        .run(async () => {
          resolve();
          if (!signal.aborted) await foldOne(one, dependencies, signal);
        })
        .catch((error: unknown) => {
          logger.warn({ err: error, series: one._id }, 'claiming a fold failed, retrying');
        })
        .finally(() => running.delete(fold));
      running.add(fold);
    });
  try {
    for (let batches = 0; batches < batchesMax && !signal.aborted;) {
      const slices = dependencies.slices.filter();
      if (slices === undefined) return;
      const find = (now: Date) => schedule.findDue(now, { slices, limit: batchMax });
      const due = await (poll === undefined ? find(clock.now()) : poll.poll(find));
      await Promise.all(due.map(start));
      if (due.length === batchMax) {
        batches += 1;
        continue;
      }
      await endOf(running, signal);
      if (running.size === 0) return;
    }
  } finally {
    await Promise.all(running);
  }
}

/** Waits until all folds have ended, but not longer than until the next look for due series. */
async function endOf(running: ReadonlySet<Promise<unknown>>, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  void Promise.all(running).then(() => {
    ended.abort();
  });
  await sleep(lookEveryMs, AbortSignal.any([signal, ended.signal]));
}

async function foldOne(
  document: FoldSeriesDocument,
  dependencies: FoldDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { schedule, countParts, sizes, clock, logger } = dependencies;
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
    sizes.note(await countParts(document._id));
  }
}

/** Returns true if the series has no parts. */
async function foldAll(
  document: FoldSeriesDocument,
  { meters, storageOf, prepare, sizes, clock }: FoldDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { environmentId, customerId, meterId } = seriesOfKey(document._id);
  const tenant = tenantOf(document);
  const meter = await meters.within({ tenant, now: clock.now() }).find(meterId);
  // Only a meter without usage can be deleted.
  if (meter === undefined) return true;
  const { aggregation, uniqueProperty } = meter.state;
  const series = { environmentId, customerId, meterId, aggregation, uniqueProperty };
  await prepare(series, signal);
  const storage = storageOf(series);
  for (let size = 0; ;) {
    const { parts, waiting, left } = await foldSeries(storage, aggregation);
    size += parts + waiting;
    sizes.note(size);
    if (left !== 'more' || signal.aborted) return parts === 0 && left === 'nothing';
  }
}

/** Reports how far folds are behind. */
export function observeFolds(
  metrics: Pick<Metrics, 'observe'>,
  {
    schedule,
    sizes,
    clock,
  }: Pick<FoldDependencies, 'sizes' | 'clock'> & {
    readonly schedule: Pick<FoldScheduleStore, 'backlog'>;
  },
): void {
  const observe = (
    instrument: 'usageParts' | 'usageFoldAge' | 'usageFoldSeries',
    read: () => Promise<number>,
  ) => {
    metrics.observe(instrument, async () => [{ value: await read(), attributes: {} }]);
  };
  observe('usageParts', () => Promise.resolve(sizes.takeLargest()));
  observe('usageFoldSeries', async () => (await schedule.backlog(clock.now())).series);
  observe('usageFoldAge', async () => {
    const now = clock.now();
    const { since } = await schedule.backlog(now);
    return since === null ? 0 : (now.getTime() - since.getTime()) / 1_000;
  });
}

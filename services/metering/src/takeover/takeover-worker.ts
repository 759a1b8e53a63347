import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Slices } from '@billing/chassis/slices';
import type { SeriesStorage } from '../fold/series-storage';
import type { Meter } from '../meter/meter';
import type { OwnedSeries } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import type { EarlierSeries, EarlierUsageStore } from './earlier-usage-store';
import { takeOverSeries } from './take-over-series';

export interface TakeoverDependencies {
  readonly store: EarlierUsageStore;
  readonly storageOf: (series: OwnedSeries, signal: AbortSignal) => SeriesStorage;
  readonly meters: AggregateCollection<Meter>;
  /** Share of series that this replica takes over without a use. */
  readonly slices: Pick<Slices, 'owns'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 200;
// Cached keys of series that need nothing.
const knownMax = 50_000;

/**
 * Takes over the usage that earlier versions counted, series by series: at the first use of a
 * series, or by periodic work, before anything of it is read or folded. Once no series of earlier
 * versions is left, it costs nothing.
 */
export class Takeover {
  private isOver = false;
  private readonly known = new Set<string>();

  constructor(private readonly dependencies: TakeoverDependencies) {}

  /** Called before a series is read or folded. */
  async ensure(series: OwnedSeries, signal: AbortSignal): Promise<void> {
    const { environmentId } = series;
    const k = seriesKey(environmentId, series);
    if (this.isOver || this.known.has(k)) return;
    const { store } = this.dependencies;
    const earlier = await store.find(environmentId, series);
    if (earlier !== undefined) await this.take(earlier, series, signal);
    if (this.known.size >= knownMax) this.known.clear();
    this.known.add(k);
  }

  /** Takes over the series that this replica owns. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.isOver) return;
    const { store, slices, logger } = this.dependencies;
    const { own, isAnyLeft } = await store.findSeries((id) => slices.owns(id), batchMax);
    this.isOver = !isAnyLeft;
    for (const earlier of own) {
      if (signal.aborted) return;
      try {
        await this.takeUnused(earlier, signal);
      } catch (error) {
        logger.warn({ err: error, series: earlier._id }, 'taking over usage failed, retrying');
      }
    }
  }

  private async takeUnused(earlier: EarlierSeries, signal: AbortSignal): Promise<void> {
    const { meters, clock, store } = this.dependencies;
    const now = clock.now();
    const { environmentId, customerId, meterId } = earlier;
    const meter = await meters.within({ tenant: tenantOf(earlier), now }).find(meterId);
    // Only a meter without usage can be deleted.
    if (meter === undefined) return store.finish(earlier, now);
    const { aggregation, uniqueProperty } = meter.state;
    const series = { environmentId, customerId, meterId, aggregation, uniqueProperty };
    await this.take(earlier, series, signal);
  }

  private async take(
    earlier: EarlierSeries,
    series: OwnedSeries,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, storageOf, clock } = this.dependencies;
    const storage = storageOf(series, signal);
    await takeOverSeries(earlier, { store, storage, series, signal, now: clock.now() });
  }
}

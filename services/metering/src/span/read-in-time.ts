import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { DomainError } from '@billing/kernel/domain-error';
import type { LargeReads } from '../distinct/run-large-read';
import type { SeriesStorage } from '../fold/series-storage';
import type { MeasuredSeries, OwnedSeries, Span } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import type { ContinuedReads } from './continued-reads';
import { nameOfSpan, refuseIfSlow } from './read-spans';
import { isEventsDropped } from './raw-count';
import { noUsage, readUsage, type UsageQuery, type WindowUsage } from './read-usage';

export interface UsageReaderDependencies {
  readonly storageOf: (series: OwnedSeries, signal: AbortSignal) => SeriesStorage;
  /** Called before the first read of a series. */
  readonly prepare: (series: OwnedSeries, signal: AbortSignal) => Promise<void>;
  readonly largeReads: LargeReads;
  readonly continued: ContinuedReads;
  readonly metrics: Pick<Metrics, 'recordIncompleteRead'>;
  readonly logger: Logger;
}

// A caller that has waited for longer is refused. The read continues.
const readMsMax = 8_000;

/** Reads usage for one call. */
export class UsageReader {
  constructor(
    private readonly dependencies: UsageReaderDependencies,
    private readonly context: Pick<CallContext, 'tenant' | 'signal'>,
  ) {}

  /**
   * Usage of the windows, each given as spans that do not overlap; all windows have the events of
   * one set. Includes every event that was acknowledged before.
   */
  async read(
    series: MeasuredSeries,
    windows: readonly (readonly Span[])[],
  ): Promise<readonly WindowUsage[]> {
    if (windows.every((spans) => spans.length === 0)) return windows.map(() => noUsage);
    const { environmentId } = this.context.tenant;
    const owned = { ...series, environmentId };
    const waiting = AbortSignal.any([this.context.signal, AbortSignal.timeout(readMsMax)]);
    const spans = windows.map((window) => window.map(nameOfSpan).join());
    const name = [seriesKey(environmentId, series), ...spans].join(' ');
    const read = (signal: AbortSignal) => this.readOwned(owned, windows, { signal, isKept: true });
    return this.dependencies.continued.run(name, read, waiting);
  }

  /** Usage of windows as `read` returns it, without keeping anything for later reads. */
  async readOnce(
    series: MeasuredSeries,
    windows: readonly (readonly Span[])[],
  ): Promise<readonly WindowUsage[]> {
    if (windows.every((spans) => spans.length === 0)) return windows.map(() => noUsage);
    const owned = { ...series, environmentId: this.context.tenant.environmentId };
    const waiting = AbortSignal.any([this.context.signal, AbortSignal.timeout(readMsMax)]);
    return this.readOwned(owned, windows, { signal: waiting, isKept: false });
  }

  private async readOwned(
    series: OwnedSeries,
    windows: readonly (readonly Span[])[],
    { signal, isKept }: Required<Pick<UsageQuery, 'signal' | 'isKept'>>,
  ): Promise<readonly WindowUsage[]> {
    const { storageOf, prepare, largeReads, metrics, logger } = this.dependencies;
    const { environmentId } = series;
    try {
      await prepare(series, signal);
      const query = { environmentId, windows, largeReads, signal, isKept };
      return (await readUsage(storageOf(series, signal), series, query)).windows;
    } catch (error) {
      if (!(error instanceof DomainError)) refuseIfSlow(signal);
      if (isEventsDropped(error)) {
        metrics.recordIncompleteRead(this.context.tenant);
        const facts = { alarm: 'usage_events_dropped', ...series };
        logger.error(facts, 'usage needs events that were dropped');
      }
      throw error;
    }
  }
}

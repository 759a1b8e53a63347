import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Clock, monotonicMs } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { sliceCount } from '@billing/chassis/slice';
import type { Slices } from '@billing/chassis/slices';
import { ValuesReplacedError } from '../distinct/value-store';
import { unitSpan } from '../fold/entries';
import type { FoldSeriesDocument } from '../fold/fold-schedule-store';
import type { SeriesStorage } from '../fold/series-storage';
import type { Meter } from '../meter/meter';
import { hourMs, type OwnedSeries } from '../usage/hour';
import { seriesOfKey } from '../usage/series-key';
import { auditHour, type HourAudit, repairHour } from './audit-hour';
import type { AuditedSeriesStore } from './audited-series-store';
import { isSampled } from './sample';

export interface UsageAuditDependencies {
  readonly store: AuditedSeriesStore;
  readonly meters: AggregateCollection<Meter>;
  readonly storageOf: (series: OwnedSeries) => SeriesStorage;
  /** Share of series from which this replica samples hours. */
  readonly slices: Pick<Slices, 'filter'>;
  readonly isDeleted: (environmentId: string) => boolean;
  readonly metrics: Pick<Metrics, 'recordAuditedHour'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Hours to check. */
export interface UsageCheck {
  /** Start of the keys of their series. */
  readonly prefix: string;
  readonly isRepaired: boolean;
  /** `next` of the previous call; empty: from the beginning. */
  readonly after: string;
}

/** An hour that was compared. */
export interface ComparedHour extends HourAudit {
  readonly series: OwnedSeries;
  readonly hour: number;
}

/** Each slice is sampled once a day. */
export const sampleEveryMs = (24 * 60 * 60_000) / sliceCount;
const dayMs = 24 * 60 * 60_000;
const touchedMsMax = 36 * dayMs;
// Events are up to 35 days late. Those of hours before are kept for months longer.
const hoursMsMax = touchedMsMax + 35 * dayMs;
// After all hours.
const hourMax = 60_000_000;
const checkMsMax = 5_000;

/** Counts stored hours again from their events. */
export class UsageAudit {
  private slice = 0;

  constructor(private readonly dependencies: UsageAuditDependencies) {}

  /** Samples hours of the next slice, if this replica owns the slice. */
  async sample(signal: AbortSignal): Promise<void> {
    const { store, slices, clock } = this.dependencies;
    const { slice } = this;
    this.slice = (slice + 1) % sliceCount;
    const owned = slices.filter();
    if (owned === undefined || owned.slice?.$in.includes(slice) === false) return;
    const seed = newId();
    const since = new Date(clock.now().getTime() - touchedMsMax);
    const isOver = () => signal.aborted;
    for await (const document of store.ofSlice(slice, since)) {
      if (isOver()) return;
      // How long events are kept is a matter of real time.
      if (tenantOf(document).manualClock || !isSampled(seed, document._id)) continue;
      const series = await this.seriesOf(document);
      if (series === undefined) continue;
      const hours = await this.hoursOf(document, series);
      for (const hour of hours.filter((one) => isSampled(seed, `${document._id}${String(one)}`))) {
        if (isOver()) return;
        await this.compare(document, series, { hour, isRepaired: false });
      }
    }
  }

  /** Compares hours in order of their series, for some seconds or until a signal. */
  async check(
    { prefix, isRepaired, after }: UsageCheck,
    signal: AbortSignal,
  ): Promise<{
    readonly compared: readonly ComparedHour[];
    /** Empty: nothing is left. */
    readonly next: string;
  }> {
    const untilMs = monotonicMs() + checkMsMax;
    const isOver = () => signal.aborted || monotonicMs() > untilMs;
    const compared: ComparedHour[] = [];
    let [k = '', last = ''] = after.split(' ');
    for (;;) {
      const document = await this.dependencies.store.firstFrom(k, prefix);
      if (document === null) return { compared, next: '' };
      const isContinued = document._id === k && last !== '';
      k = document._id;
      const series = await this.seriesOf(document);
      const hours = series === undefined ? [] : await this.hoursOf(document, series);
      for (const hour of hours) {
        if (series === undefined || (isContinued && hour <= Number(last))) continue;
        const one = await this.compare(document, series, { hour, isRepaired });
        if (one !== undefined) compared.push(one);
        if (isOver()) return { compared, next: `${k} ${String(hour)}` };
      }
      // Keys continue with a colon at most.
      k = `${k}!`;
      last = '';
      if (isOver()) return { compared, next: k };
    }
  }

  /** Undefined if the usage is being deleted. */
  private async seriesOf(document: FoldSeriesDocument): Promise<OwnedSeries | undefined> {
    const { environmentId, customerId, meterId } = seriesOfKey(document._id);
    const { meters, isDeleted, clock } = this.dependencies;
    if (isDeleted(environmentId)) return undefined;
    const tenant = tenantOf(document);
    const meter = await meters.within({ tenant, now: clock.now() }).find(meterId);
    if (meter === undefined) return undefined;
    const { aggregation, uniqueProperty } = meter.state;
    return { environmentId, customerId, meterId, aggregation, uniqueProperty };
  }

  private async hoursOf(document: FoldSeriesDocument, series: OwnedSeries): Promise<number[]> {
    const { storageOf, clock } = this.dependencies;
    const firstMs = clock.now().getTime() - hoursMsMax;
    const first = tenantOf(document).manualClock ? 0 : Math.floor(firstMs / hourMs);
    const totals = await storageOf(series).hourTotals(first, hourMax);
    return totals.map(({ hour }) => hour).toSorted((a, b) => a - b);
  }

  private async compare(
    document: FoldSeriesDocument,
    series: OwnedSeries,
    { hour, isRepaired }: Pick<UsageCheck, 'isRepaired'> & { readonly hour: number },
  ): Promise<ComparedHour | undefined> {
    const { store, storageOf, metrics, logger } = this.dependencies;
    const storage = storageOf(series);
    const span = unitSpan(hour, hourMs);
    const hasAllEvents = () => store.hasAllEvents(document, span.start);
    const audit = (await store.hasEarlierEvents(series, span))
      ? undefined
      : await auditOrSkip(storage, series, hour);
    const isLess = audit !== undefined && audit.counted.events < audit.stored.events;
    // After the count: until then, events may be dropped.
    if (audit === undefined || (isLess && !(await hasAllEvents()))) {
      metrics.recordAuditedHour('SKIPPED');
      return undefined;
    }
    metrics.recordAuditedHour(audit.isEqual ? 'EQUAL' : 'MISMATCH');
    if (audit.isEqual) return { ...audit, series, hour };
    const { stored, counted } = audit;
    const facts = { alarm: 'usage_mismatch', ...series, hour: span.start, stored, counted };
    logger.error(facts, 'stored usage differs from its events');
    if (isRepaired) {
      await repairHour(storage, series, hour, hasAllEvents);
      metrics.recordAuditedHour('REPAIRED');
      logger.warn(facts, 'stored usage repaired');
    }
    return { ...audit, series, hour };
  }
}

/** Undefined if the hour was deleted, or folded while its values were read. */
async function auditOrSkip(
  storage: SeriesStorage,
  series: OwnedSeries,
  hour: number,
): Promise<HourAudit | undefined> {
  try {
    return await auditHour(storage, series, hour);
  } catch (error) {
    if (error instanceof ValuesReplacedError) return undefined;
    throw error;
  }
}

import { tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Clock, monotonicMs } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import type { StepCounts } from '@billing/chassis/recovery';
import { sliceCount, type Slices } from '@billing/chassis/slices';
import { visitAll } from '@billing/chassis/visit-all';
import { ValuesReplacedError } from '../distinct/value-store';
import { hourId, spanId } from '../fold/bucket-document';
import { unitSpan } from '../fold/entries';
import type { FoldSeriesDocument } from '../fold/fold-schedule-store';
import type { SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import type { Meter } from '../meter/meter';
import { isEventsDropped } from '../span/raw-count';
import { hourMs, type OwnedSeries, type Span } from '../usage/hour';
import { seriesOfKey } from '../usage/series-key';
import { auditHour, type HourAudit, repairHour, withdrawSpan } from './audit-hour';
import { auditSpan, type SpanAudit } from './audit-span';
import type { AuditedSeriesStore } from './audited-series-store';
import { isSampled } from './sample';
import { findUncounted, rangesOf, readCounted, type UncountedHour } from './uncounted-events';

export interface UsageAuditDependencies {
  readonly store: AuditedSeriesStore;
  readonly meters: AggregateCollection<Meter>;
  readonly storageOf: (series: OwnedSeries) => SeriesStorage;
  /** Share of series from which this replica samples hours. */
  readonly slices: Pick<Slices, 'filter'>;
  /** Slice of the first sample; a random one, so that frequent restarts leave no slice out. */
  readonly firstSlice: number;
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

/** A kept span that was compared. */
export interface ComparedSpan extends SpanAudit {
  readonly series: OwnedSeries;
  readonly span: Span;
}

/** Results of a check. */
export interface UsageFindings {
  readonly compared: ComparedHour[];
  readonly spans: ComparedSpan[];
  readonly uncounted: (UncountedHour & { readonly series: OwnedSeries })[];
  /** Number of events that were looked for in buckets and parts. */
  searched: number;
  /** Number of hours that could not be compared: they changed, or lack events. */
  skipped: number;
}

/** Treatment of differences. */
interface Treatment {
  readonly isRepaired: boolean;
  /** True after a restore, which explains differences: their repair raises no alarm. */
  readonly isRestored?: boolean;
}

/** A part of a check that is not interrupted. */
interface CheckStep {
  /** Names sort as the steps are taken. */
  readonly name: string;
  readonly run: (findings: UsageFindings) => Promise<void>;
}

/** Each slice is sampled once a day. */
export const sampleEveryMs = (24 * 60 * 60_000) / sliceCount;
const dayMs = 24 * 60 * 60_000;
/** No event of a period arrives later than this after its end, so older series are not checked. */
export const touchedMsMax = 36 * dayMs;
// Events are up to 35 days late. Those of hours before are kept for months longer.
const lateMsMax = 35 * dayMs;
const hoursMsMax = touchedMsMax + lateMsMax;
// Upper bound of hour numbers.
const hourMax = 60_000_000;
const checkMsMax = 5_000;

/** Counts stored hours again from their events. */
export class UsageAudit {
  private slice: number;

  constructor(private readonly dependencies: UsageAuditDependencies) {
    this.slice = dependencies.firstSlice;
  }

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

  /**
   * Compares hours with their events, spans with their hours, and looks for events that are missing
   * from every total, series by series, for some seconds or until a signal.
   */
  async check(
    { prefix, isRepaired, after }: UsageCheck,
    signal: AbortSignal,
  ): Promise<
    UsageFindings & {
      /** Empty: nothing is left. */
      readonly next: string;
    }
  > {
    const untilMs = monotonicMs() + checkMsMax;
    const isOver = () => signal.aborted || monotonicMs() > untilMs;
    const findings: UsageFindings = noFindings();
    let [seriesKey = '', last = ''] = after.split(' ');
    for (;;) {
      const document = await this.dependencies.store.firstFrom(seriesKey, prefix);
      if (document === null) return { ...findings, next: '' };
      const done = document._id === seriesKey ? last : '';
      seriesKey = document._id;
      for (const { name, run } of await this.stepsOf(document, { isRepaired })) {
        if (name <= done) continue;
        await run(findings);
        if (isOver()) return { ...findings, next: `${seriesKey} ${name}` };
      }
      // Keys continue with a colon at most.
      seriesKey = `${seriesKey}!`;
      last = '';
      if (isOver()) return { ...findings, next: seriesKey };
    }
  }

  /**
   * Counts the hours of the series that got events since an instant again after a restore, and
   * repairs them. Those of hours that no event of that time can be in stay as they are.
   */
  async recount(since: Date): Promise<StepCounts> {
    const { store, logger } = this.dependencies;
    const from = Math.floor((since.getTime() - lateMsMax) / hourMs);
    const visit = async (document: FoldSeriesDocument) => {
      const findings: UsageFindings = noFindings();
      const treatment = { isRepaired: true, isRestored: true };
      for (const { run } of await this.stepsOf(document, { ...treatment, from })) {
        await run(findings);
      }
      const counts = countsOf(findings);
      const { repaired } = counts;
      if (repaired !== undefined) {
        logger.warn({ series: document._id, repaired }, 'usage repaired after a restore');
      }
      return counts;
    };
    const onFailure = (error: unknown, { _id: series }: FoldSeriesDocument) => {
      logger.error({ err: error, series }, 'usage not counted again');
      return { series: 1, failed: 1 };
    };
    return { series: 0, ...(await visitAll(store.touchedSince(since), visit, onFailure)) };
  }

  /** Hours and the gaps between them, then kept spans. */
  private async stepsOf(
    document: FoldSeriesDocument,
    { from: first = 0, ...treatment }: Treatment & { readonly from?: number },
  ): Promise<CheckStep[]> {
    const series = await this.seriesOf(document);
    if (series === undefined) return [];
    const { storageOf } = this.dependencies;
    const storage = storageOf(series);
    const spans = (await storage.spans()).filter(({ isStub }) => !isStub);
    const kept = await this.firstKeptHourOf(document);
    // Events of a manual clock may be of any hour.
    const from = tenantOf(document).manualClock ? kept : Math.max(kept, first);
    const range = { from, to: hourMax };
    const counted = await readCounted(storage, range);
    const isStored = new Set(counted.hours.map(({ hour }) => hour));
    const ofHours = rangesOf(counted, range).map(({ from, to }) => ({
      name: hourId('hour', from),
      run: async (findings: UsageFindings) => {
        if (isStored.has(from)) {
          const one = await this.compare(document, series, { hour: from, ...treatment });
          if (one === undefined) findings.skipped += 1;
          else findings.compared.push(one);
        }
        const found = await findUncounted(storage, counted, { from, to });
        findings.searched += found.searched;
        for (const hour of found.uncounted) {
          findings.uncounted.push({ ...hour, series });
          const { live } = document;
          const { until } = counted;
          await this.reportUncounted(series, hour, { until, live, ...treatment });
        }
      },
    }));
    const ofSpans = spans.map((span) => ({
      name: spanId('span', span),
      run: async ({ spans: compared }: UsageFindings) => {
        const { live } = document;
        const one = await this.compareSpan(series, span, { live, ...treatment });
        if (one !== undefined) compared.push({ ...one, series, span });
      },
    }));
    return [...ofHours, ...ofSpans].toSorted((a, b) => (a.name < b.name ? -1 : 1));
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

  /** The first hour whose events are all kept. Those of a manual clock may be of any hour. */
  private async firstKeptHourOf(document: FoldSeriesDocument): Promise<number> {
    if (tenantOf(document).manualClock) return 0;
    const since = await this.dependencies.store.keptSince();
    return Math.floor(since.getTime() / hourMs);
  }

  private async hoursOf(document: FoldSeriesDocument, series: OwnedSeries): Promise<number[]> {
    const storage = this.dependencies.storageOf(series);
    const firstMs = this.dependencies.clock.now().getTime() - hoursMsMax;
    const totals = await storage.hourTotals(Math.floor(firstMs / hourMs), hourMax);
    return totals.map(({ hour }) => hour).toSorted((a, b) => a - b);
  }

  private async compare(
    document: FoldSeriesDocument,
    series: OwnedSeries,
    { hour, isRepaired, isRestored = false }: Treatment & { readonly hour: number },
  ): Promise<ComparedHour | undefined> {
    const { store, storageOf, metrics, logger } = this.dependencies;
    const { live } = document;
    const storage = storageOf(series);
    const span = unitSpan(hour, hourMs);
    const hasAllEvents = () => store.hasAllEvents(document, span.start);
    const audit = (await store.hasEarlierEvents(series, span))
      ? undefined
      : await skipIfReplaced(() => auditHour(storage, series, hour));
    const isLess = audit !== undefined && audit.counted.events < audit.stored.events;
    // After the count: until then, events may be dropped.
    if (audit === undefined || (isLess && !(await hasAllEvents()))) {
      metrics.recordAuditedHour({ result: 'SKIPPED', live });
      return undefined;
    }
    if (audit.isEqual) {
      metrics.recordAuditedHour({ result: 'EQUAL', live });
      return { ...audit, series, hour };
    }
    const { stored, counted } = audit;
    const facts = { ...series, hour: span.start, stored, counted };
    if (!isRestored) this.raiseAlarm(facts, { text: 'stored usage differs from its events', live });
    if (isRepaired) {
      await repairHour(storage, series, hour, { hasAllEvents });
      metrics.recordAuditedHour({ result: 'REPAIRED', live });
      if (!isRestored) logger.warn(facts, 'stored usage repaired');
    }
    return { ...audit, series, hour };
  }

  private async compareSpan(
    series: OwnedSeries,
    span: SpanBucket,
    { isRepaired, isRestored = false, live }: Treatment & { readonly live: boolean },
  ): Promise<SpanAudit | undefined> {
    const { storageOf, metrics } = this.dependencies;
    const storage = storageOf(series);
    const audit = await skipIfReplaced(() => auditSpan(storage, series, span));
    if (audit === undefined || audit.isEqual) return audit;
    const { start, end } = span;
    const { stored, summed } = audit;
    const facts = { ...series, start, end, stored, summed };
    const text = 'kept span of usage differs from its hours';
    if (!isRestored) this.raiseAlarm(facts, { text, live });
    if (isRepaired) {
      await withdrawSpan(storage, span);
      metrics.recordAuditedHour({ result: 'REPAIRED', live });
    }
    return audit;
  }

  private async reportUncounted(
    series: OwnedSeries,
    { hour, stored, counted }: UncountedHour,
    {
      until,
      isRepaired,
      isRestored = false,
      live,
    }: Treatment & { readonly until: number; readonly live: boolean },
  ): Promise<void> {
    const { storageOf, metrics } = this.dependencies;
    const { start } = unitSpan(hour, hourMs);
    const facts = { ...series, hour: start, stored, counted };
    if (!isRestored) this.raiseAlarm(facts, { text: 'events are in no total of usage', live });
    if (!isRepaired) return;
    await repairHour(storageOf(series), series, hour, { upTo: until });
    metrics.recordAuditedHour({ result: 'REPAIRED', live });
  }

  private raiseAlarm(
    facts: object,
    { text, live }: { readonly text: string; readonly live: boolean },
  ): void {
    const { metrics, logger } = this.dependencies;
    metrics.recordAuditedHour({ result: 'MISMATCH', live });
    logger.error({ alarm: 'usage_mismatch', ...facts }, text);
  }
}

function noFindings(): UsageFindings {
  return { compared: [], spans: [], uncounted: [], searched: 0, skipped: 0 };
}

function countsOf({ compared, spans, uncounted, skipped }: UsageFindings): StepCounts {
  const repaired = [...compared, ...spans].filter(({ isEqual }) => !isEqual).length;
  const changed = repaired + uncounted.length;
  return {
    ...{ series: 1, hours: compared.length },
    ...(changed > 0 && { repaired: changed }),
    ...(skipped > 0 && { skipped }),
  };
}

/** Undefined if values were replaced while they were read, or if needed events were dropped. */
async function skipIfReplaced<T>(audit: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await audit();
  } catch (error) {
    if (error instanceof ValuesReplacedError || isEventsDropped(error)) return undefined;
    throw error;
  }
}

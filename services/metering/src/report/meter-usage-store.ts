import type { AnyBulkWriteOperation } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type CalendarDay, calendarDayOf } from '@billing/kernel/calendar-day';
import { isSameData } from '@billing/kernel/equality';
import type { PartialTotal } from '../meter/aggregation';
import type { Meter } from '../meter/meter';
import { type UsageDay, UsageDayStore } from '../usage/day-store';
import { DistinctValuesStore } from '../usage/distinct-values-store';
import { type EventDocument, measuredEvent } from '../usage/event-store';
import { endOfHour, hourOf, type Series, type Span, validTotal } from '../usage/hour';
import { hoursWithValues } from '../usage/hour-document';
import type { SeriesDocument, UsageCollections } from '../usage/store';
import { type Covered, coveredAfter, needsHours } from './covered-days';
import { CustomerDays } from './usage-report';

type KnownSeries = Pick<SeriesDocument, 'customerId' | 'sealedUntil' | 'daysFrom' | 'daysUntil'>;

/** A customer whose usage is read, and how far it is stored as totals. */
interface KnownCustomer {
  readonly customerId: string;
  /** Events from this instant on are read one by one. */
  readonly sealedUntil: Date;
  readonly covered: Covered;
}

/** State of reading one customer's usage. */
interface Reading extends KnownCustomer {
  readonly usage: CustomerDays;
  /** Starts of covered days that are stored without a total, so that their hours must be read. */
  readonly reopened: Set<number>;
  /** Starts of hours without a valid total. */
  readonly open: Set<number>;
  /** Versions of stored days, by start. */
  readonly versions: Map<number, number | undefined>;
}

// Number of customers per query.
const customersPerQuery = 100;
// Maximum spread within a group: a customer without recent usage must not make the whole group be
// read event by event.
const sealedSpreadMsMax = 24 * 3_600_000;
const cursorBatch = 5_000;

/** Usage of one meter by all customers of an environment. */
export class MeterUsageStore {
  private readonly values: DistinctValuesStore;
  private readonly days: UsageDayStore;

  constructor(
    private readonly collections: UsageCollections,
    private readonly tenant: Tenant,
  ) {
    this.values = new DistinctValuesStore(collections.chunks, tenant.environmentId);
    this.days = new UsageDayStore(collections.days, tenant);
  }

  /**
   * Yields the usage of every customer by day, in no particular order. Days and hours with a valid
   * total are not read again; the rest is read event by event. The first read stores the totals of
   * days. Includes everything accepted before the read started.
   */
  async *byCustomer(meter: Meter, days: readonly CalendarDay[]): AsyncGenerator<CustomerDays> {
    const { environmentId } = this.tenant;
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return;
    const window = { start: first.start, end: last.end };
    // Read before days and hours: anything sealed in between is then read from events, and nothing
    // is counted twice.
    const series = await retryTransient(() =>
      this.collections.series
        .find({ environmentId, meterId: meter.id })
        .project<KnownSeries>({ _id: 0, customerId: 1, sealedUntil: 1, daysFrom: 1, daysUntil: 1 })
        .toArray(),
    );
    for (const group of groupsOf(series, window)) {
      const readings = new Map(
        group.map((customer) => [customer.customerId, beginReading(customer, meter, days)]),
      );
      await this.addDays(readings, meter, window);
      await this.addHours(readings, meter, days);
      await this.storeDays([...readings.values()], meter, days);
      await this.addEvents(readings, meter, window);
      for (const { usage } of readings.values()) yield usage;
    }
  }

  private async addDays(
    readings: ReadonlyMap<string, Reading>,
    { id: meterId }: Meter,
    window: Span,
  ): Promise<void> {
    const stored = await this.days.find({ meterId, customerIds: [...readings.keys()] }, window);
    for (const { customerId, day, version, total } of stored) {
      const reading = readings.get(customerId);
      if (reading === undefined) continue;
      reading.versions.set(day.getTime(), version);
      const isCovered = !needsHours(day, reading);
      if (total === null) reading.reopened.add(day.getTime());
      else if (isCovered) reading.usage.merge(day, total);
    }
  }

  private async addHours(
    readings: ReadonlyMap<string, Reading>,
    { id: meterId }: Meter,
    days: readonly CalendarDay[],
  ): Promise<void> {
    const { environmentId } = this.tenant;
    const all = [...readings.values()];
    const needed = days.filter(({ start }) =>
      all.some((one) => start < one.sealedUntil && needsHours(start, one)),
    );
    const [first, last] = [needed[0], needed.at(-1)];
    if (first === undefined || last === undefined) return;
    const customerId = { $in: [...readings.keys()] };
    const span = { $gte: first.start, $lt: last.end };
    const found = await retryTransient(() =>
      this.collections.hours.find({ environmentId, customerId, meterId, hour: span }).toArray(),
    );
    for (const hour of await hoursWithValues(found, this.values)) {
      const reading = readings.get(hour.customerId);
      if (reading === undefined || hour.hour >= reading.sealedUntil) continue;
      if (!needsHours(calendarDayOf(hour.hour).start, reading)) continue;
      const total = validTotal(hour);
      if (total === null) reading.open.add(hour.hour.getTime());
      else reading.usage.merge(hour.hour, total);
    }
  }

  /** Called before events are added: up to here, usage comes from totals only. */
  private async storeDays(
    readings: readonly Reading[],
    { id: meterId }: Meter,
    days: readonly CalendarDay[],
  ): Promise<void> {
    const toStore: (UsageDay & { readonly total: PartialTotal })[] = [];
    const marks: AnyBulkWriteOperation<SeriesDocument>[] = [];
    for (const reading of readings) {
      const { customerId, covered, sealedUntil, usage, versions } = reading;
      const open = new Set(
        [...reading.open].map((hour) => calendarDayOf(new Date(hour)).start.getTime()),
      );
      const after = coveredAfter(covered, { days, sealedUntil, open });
      if (after === undefined) continue;
      for (const [index, total] of usage.byDay()) {
        const day = days[index]?.start;
        if (day === undefined || day < after.start || day >= after.end) continue;
        if (open.has(day.getTime()) || !needsHours(day, reading)) continue;
        toStore.push({ customerId, meterId, day, version: versions.get(day.getTime()), total });
      }
      if (!isSameData(covered, after))
        marks.push(this.markOf({ customerId, meterId }, covered, after));
    }
    if (toStore.length > 0) await this.days.storeTotals(toStore);
    if (marks.length === 0) return;
    // Written after the days: only now does a missing day mean that it has no events.
    await retryTransient(() => this.collections.series.bulkWrite(marks, { ordered: false }));
  }

  private markOf(
    series: Series,
    covered: Covered,
    after: Span,
  ): AnyBulkWriteOperation<SeriesDocument> {
    const known = { daysFrom: covered?.start ?? null, daysUntil: covered?.end ?? null };
    const { environmentId } = this.tenant;
    return {
      updateOne: {
        filter: { environmentId, ...series, ...known },
        update: { $set: { daysFrom: after.start, daysUntil: after.end } },
      },
    };
  }

  private async addEvents(
    readings: ReadonlyMap<string, Reading>,
    meter: Meter,
    { end }: Span,
  ): Promise<void> {
    const all = [...readings.values()];
    const earliest = Math.min(...all.map(({ sealedUntil }) => sealedUntil.getTime()));
    const rest = { start: new Date(earliest), end };
    await this.addEventsWhere(
      readings,
      { meter, span: rest },
      (at, { sealedUntil }) => at >= sealedUntil,
    );
    const hours = all.flatMap(({ open }) => [...open]);
    if (hours.length === 0) return;
    const reopened = new Map([...readings].filter(([, { open }]) => open.size > 0));
    const span = {
      start: new Date(Math.min(...hours)),
      end: endOfHour(new Date(Math.max(...hours))),
    };
    await this.addEventsWhere(reopened, { meter, span }, (at, { open }) =>
      open.has(hourOf(at).getTime()),
    );
  }

  private async addEventsWhere(
    readings: ReadonlyMap<string, Reading>,
    { meter: { id: meterId, uniqueProperty }, span }: { meter: Meter; span: Span },
    isWanted: (at: Date, reading: Reading) => boolean,
  ): Promise<void> {
    const { environmentId } = this.tenant;
    const customerId = { $in: [...readings.keys()] };
    const cursor = this.collections.events
      .find({ environmentId, customerId, meterId, timestamp: { $gte: span.start, $lt: span.end } })
      .project<Omit<EventDocument, 'environmentId'>>({
        customerId: 1,
        timestamp: 1,
        quantity: 1,
        arrival: 1,
        ...(uniqueProperty !== null && { properties: 1 }),
      })
      .batchSize(cursorBatch);
    for await (const document of cursor) {
      const reading = readings.get(document.customerId);
      if (reading === undefined || !isWanted(document.timestamp, reading)) continue;
      reading.usage.add(measuredEvent(document, uniqueProperty));
    }
  }
}

/**
 * Groups customers that are read together, with the end of their sealed hours; an end before the
 * window becomes its start.
 */
function groupsOf(series: readonly KnownSeries[], { start }: Span): KnownCustomer[][] {
  const ordered = series
    .map(({ customerId, sealedUntil, daysFrom = null, daysUntil = null }) => ({
      customerId,
      sealedUntil: sealedUntil === null || sealedUntil < start ? start : sealedUntil,
      covered:
        daysFrom === null || daysUntil === null ? undefined : { start: daysFrom, end: daysUntil },
    }))
    .toSorted((a, b) => a.sealedUntil.getTime() - b.sealedUntil.getTime());
  const groups: KnownCustomer[][] = [];
  for (const one of ordered) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isApart =
      first === undefined ||
      one.sealedUntil.getTime() - first.sealedUntil.getTime() > sealedSpreadMsMax;
    if (group === undefined || isApart || group.length === customersPerQuery) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

function beginReading(
  customer: KnownCustomer,
  { aggregation }: Meter,
  days: readonly CalendarDay[],
): Reading {
  return {
    ...customer,
    usage: new CustomerDays(customer.customerId, aggregation, days),
    reopened: new Set(),
    open: new Set(),
    versions: new Map(),
  };
}

import type { AnyBulkWriteOperation } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type CalendarDay, calendarDayOf } from '@billing/kernel/calendar-day';
import { isSameData } from '@billing/kernel/equality';
import type { PartialTotal } from './aggregation';
import { type Covered, coveredAfter, needsHours } from './covered-days';
import { DistinctValuesStore } from './distinct-values-store';
import { type EventDocument, measuredEvent } from './event-store';
import { hoursWithValues } from './hour-document';
import type { Meter } from './meter';
import { type UsageDay, UsageDayStore } from './usage-day-store';
import { endOfHour, hourOf, type Series, type Span, standingTotal } from './usage-hour';
import { CustomerDays } from './usage-report';
import type { SeriesDocument, UsageCollections } from './usage-store';

type KnownSeries = Pick<SeriesDocument, 'customerId' | 'sealedUntil' | 'daysFrom' | 'daysUntil'>;

/** Whose usage is read, and how far it is added up. */
interface KnownCustomer {
  readonly customerId: string;
  /** From here on events are read one by one. */
  readonly sealedUntil: Date;
  readonly covered: Covered;
}

/** One customer while their usage is read. */
interface Reading extends KnownCustomer {
  readonly usage: CustomerDays;
  /** Beginnings of covered days whose hours must be read all the same. */
  readonly reopened: Set<number>;
  /** Beginnings of hours whose total does not stand. */
  readonly open: Set<number>;
  /** Of days that are kept. */
  readonly versions: Map<number, number | undefined>;
}

// So many customers' usage is read by one query.
const customersAtOnce = 100;
// Of customers who are read together: those who have used nothing for long must not have the others read event by event.
const sealedApartMsMax = 24 * 3_600_000;
const cursorBatch = 5_000;

/** The usage of one meter by all customers of an environment. */
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
   * The usage of every customer by day, in no particular order: days and hours whose totals stand are not read again, all else is read
   * event by event. Totals of days are made here, by whoever needs them first. Everything that was accepted before the read began is in it.
   */
  async *byCustomer(meter: Meter, days: readonly CalendarDay[]): AsyncGenerator<CustomerDays> {
    const { environmentId } = this.tenant;
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return;
    const window = { start: first.start, end: last.end };
    // Before days and hours: what is sealed meanwhile is then read in full, and nothing is counted twice.
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
      await this.keepDays([...readings.values()], meter, days);
      await this.addEvents(readings, meter, window);
      for (const { usage } of readings.values()) yield usage;
    }
  }

  private async addDays(
    readings: ReadonlyMap<string, Reading>,
    { id: meterId }: Meter,
    window: Span,
  ): Promise<void> {
    const kept = await this.days.find({ meterId, customerIds: [...readings.keys()] }, window);
    for (const { customerId, day, version, total } of kept) {
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
      const total = standingTotal(hour);
      if (total === null) reading.open.add(hour.hour.getTime());
      else reading.usage.merge(hour.hour, total);
    }
  }

  /** Before events are added: what was read so far is told by totals alone. */
  private async keepDays(
    readings: readonly Reading[],
    { id: meterId }: Meter,
    days: readonly CalendarDay[],
  ): Promise<void> {
    const kept: (UsageDay & { readonly total: PartialTotal })[] = [];
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
        kept.push({ customerId, meterId, day, version: versions.get(day.getTime()), total });
      }
      if (!isSameData(covered, after))
        marks.push(this.markOf({ customerId, meterId }, covered, after));
    }
    if (kept.length > 0) await this.days.keep(kept);
    if (marks.length === 0) return;
    // After the days: until then nothing says that a day without a total has no events.
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

/** Customers who are read together, with the time up to which their hours are sealed; before the window means at its start. */
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
      one.sealedUntil.getTime() - first.sealedUntil.getTime() > sealedApartMsMax;
    if (group === undefined || isApart || group.length === customersAtOnce) groups.push([one]);
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

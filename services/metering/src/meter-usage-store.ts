import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import type { CalendarDay } from '@billing/kernel/calendar-day';
import { DistinctValuesStore } from './distinct-values-store';
import { type EventDocument, measuredEvent } from './event-store';
import { hoursWithValues } from './hour-document';
import type { Meter } from './meter';
import { endOfHour, hourOf, type Span, standingTotal } from './usage-hour';
import { CustomerDays } from './usage-report';
import type { SeriesDocument, UsageCollections } from './usage-store';

type KnownSeries = Pick<SeriesDocument, 'customerId' | 'sealedUntil'>;

/** One customer while their usage is read. */
interface Reading {
  readonly usage: CustomerDays;
  /** From here on events are read one by one. */
  readonly sealedUntil: Date;
  /** Beginnings of earlier hours whose total does not stand. */
  readonly open: Set<number>;
}

// So many customers' usage is read by one query.
const customersAtOnce = 100;
// Of customers who are read together: those who have used nothing for long must not have the others read event by event.
const sealedApartMsMax = 24 * 3_600_000;
const cursorBatch = 5_000;

/** The usage of one meter by all customers of an environment. */
export class MeterUsageStore {
  private readonly values: DistinctValuesStore;

  constructor(
    private readonly collections: UsageCollections,
    private readonly tenant: Tenant,
  ) {
    this.values = new DistinctValuesStore(collections.chunks, tenant.environmentId);
  }

  /**
   * The usage of every customer by day, in no particular order: hours whose totals stand are not read again, all else is read event by
   * event. Everything that was accepted before the read began is in it.
   */
  async *byCustomer(meter: Meter, days: readonly CalendarDay[]): AsyncGenerator<CustomerDays> {
    const { environmentId } = this.tenant;
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return;
    const window = { start: first.start, end: last.end };
    // Before the hours: what is sealed meanwhile is then read in full, and nothing is counted twice.
    const series = await retryTransient(() =>
      this.collections.series
        .find({ environmentId, meterId: meter.id })
        .project<KnownSeries>({ _id: 0, customerId: 1, sealedUntil: 1 })
        .toArray(),
    );
    for (const group of groupsOf(series, window)) {
      const readings = new Map(
        group.map(({ customerId, sealedUntil }) => {
          const usage = new CustomerDays(customerId, meter.aggregation, days);
          return [customerId, { usage, sealedUntil, open: new Set<number>() }];
        }),
      );
      await this.addHours(readings, meter, window);
      await this.addEvents(readings, meter, window);
      for (const { usage } of readings.values()) yield usage;
    }
  }

  private async addHours(
    readings: ReadonlyMap<string, Reading>,
    { id: meterId }: Meter,
    { start, end }: Span,
  ): Promise<void> {
    const { environmentId } = this.tenant;
    const latest = Math.max(...[...readings.values()].map((one) => one.sealedUntil.getTime()));
    const until = new Date(Math.min(latest, end.getTime()));
    if (until <= start) return;
    const customerId = { $in: [...readings.keys()] };
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ environmentId, customerId, meterId, hour: { $gte: start, $lt: until } })
        .toArray(),
    );
    for (const hour of await hoursWithValues(found, this.values)) {
      const reading = readings.get(hour.customerId);
      if (reading === undefined || hour.hour >= reading.sealedUntil) continue;
      const total = standingTotal(hour);
      if (total === null) reading.open.add(hour.hour.getTime());
      else reading.usage.merge(hour.hour, total);
    }
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
function groupsOf(
  series: readonly KnownSeries[],
  { start }: Span,
): { customerId: string; sealedUntil: Date }[][] {
  const ordered = series
    .map(({ customerId, sealedUntil }) => ({
      customerId,
      sealedUntil: sealedUntil === null || sealedUntil < start ? start : sealedUntil,
    }))
    .toSorted((a, b) => a.sealedUntil.getTime() - b.sealedUntil.getTime());
  const groups: { customerId: string; sealedUntil: Date }[][] = [];
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

import type { CallContext } from '@billing/chassis/call-context';
import { Semaphore } from '@billing/chassis/semaphore';
import type { CalendarDay } from '@billing/kernel/calendar-day';
import type { Meter } from '../meter/meter';
import { noUsage, type WindowUsage } from '../span/read-usage';
import type { UsageReader } from '../span/read-in-time';
import type { SeriesStore } from '../usage/series-store';
import type { CustomerDays } from './usage-report';

export interface MeterUsageDependencies {
  readonly series: SeriesStore;
  readonly usageOf: (context: Pick<CallContext, 'tenant' | 'signal'>) => UsageReader;
}

// Customers that are read at the same time.
const concurrentCustomers = 8;

/** Reads the usage of a meter by every customer, day by day, in the order of the customers. */
export async function readMeterUsage(
  { id: meterId, aggregation, uniqueProperty }: Meter,
  days: readonly CalendarDay[],
  context: CallContext,
  { series, usageOf }: MeterUsageDependencies,
): Promise<CustomerDays[]> {
  const spans = days.map(({ start, end }) => ({ start, end }));
  const windows = [spans, ...spans.map((span) => [span])];
  const customers = await series.customersOf(context.tenant, meterId);
  const reader = usageOf(context);
  const turns = new Semaphore(concurrentCustomers);
  return Promise.all(
    customers.map((customerId) =>
      turns.run(async () => {
        context.signal.throwIfAborted();
        const measured = { customerId, meterId, aggregation, uniqueProperty };
        const [whole = noUsage, ...byDay] = await reader.read(measured, windows);
        return { customerId, whole: dayOf(whole), days: byDay.map(dayOf) };
      }),
    ),
  );
}

function dayOf({ quantity: value, events }: WindowUsage) {
  return { value, events };
}

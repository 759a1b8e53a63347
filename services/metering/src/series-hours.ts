import { hourMs, type SeriesHour } from './usage-hour';

/** The hours of series that events lie in, each once. Looked up by what events hold already: a text for each would be what costs most. */
export function seriesHours(
  events: Iterable<{
    readonly customerId: string;
    readonly meterId: string;
    readonly timestamp: Date;
  }>,
): SeriesHour[] {
  const hours: SeriesHour[] = [];
  const customers = new Map<string, Map<string, Set<number>>>();
  for (const { customerId, meterId, timestamp } of events) {
    const meters = customers.get(customerId) ?? new Map<string, Set<number>>();
    customers.set(customerId, meters);
    const known = meters.get(meterId) ?? new Set<number>();
    meters.set(meterId, known);
    const number = Math.floor(timestamp.getTime() / hourMs);
    if (known.has(number)) continue;
    known.add(number);
    hours.push({ customerId, meterId, hour: new Date(number * hourMs) });
  }
  return hours;
}

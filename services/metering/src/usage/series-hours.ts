import { hourMs, type SeriesHour } from './usage-hour';

/**
 * Hours of series that contain the events, once each. Uses nested maps over existing values:
 * building a text key per event would dominate the cost.
 */
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

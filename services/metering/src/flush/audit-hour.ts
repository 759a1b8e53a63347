import { retryTransient } from '@billing/chassis/mongo';
import { countedValues, mergePacked } from '../distinct/packed-values';
import { bufferOf } from '../distinct/value-store';
import { type MeasuredEvent, mergedTotal, quantityOf, totalOf } from '../meter/aggregation';
import { type EventCollection, measuredEvent } from '../usage/event-store';
import { endOfHour, hourMs, type MeasuredSeries } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import type { PartCollection } from './flush-store';
import { epochOfPart, type PartMinute, totalOfMinute } from './part';

/** A series of an environment. */
export type AuditedSeries = MeasuredSeries & { readonly environmentId: string };

/** Total of an hour, as its parts and as its events say. Equal unless usage was lost or doubled. */
export interface HourAudit {
  readonly parts: { readonly events: number; readonly quantity: string };
  readonly raw: { readonly events: number; readonly quantity: string };
}

const minutesOfHour = 60;

/**
 * Compares the parts of a series and hour with its events, both up to an epoch that is over. Events
 * of earlier versions have no flush and no part.
 */
export async function auditHour(
  series: AuditedSeries,
  hour: Date,
  {
    until,
    events,
    parts,
  }: { readonly until: number; readonly events: EventCollection; readonly parts: PartCollection },
): Promise<HourAudit> {
  const { environmentId, customerId, meterId, aggregation, uniqueProperty } = series;
  const inHour = { timestamp: { $gte: hour, $lt: endOfHour(hour) } };
  const stored = await retryTransient(() =>
    events.find({ environmentId, customerId, meterId, ...inHour }).toArray(),
  );
  const flushed = stored.filter(({ epoch = 0 }) => Number(epoch) > 0 && Number(epoch) <= until);
  const raw = totalOf(
    aggregation,
    flushed.map((event): MeasuredEvent => measuredEvent(event, uniqueProperty)),
  );
  const own = await partsUpTo(until, seriesKey(environmentId, series), parts);
  const minutes = own.flatMap((part) => part.minutes).filter(isIn(hour));
  const values = own
    .flatMap((part) => part.values ?? [])
    .filter(([at]) => at * hourMs === hour.getTime())
    .map(([, packed]) => bufferOf(packed));
  const counted = mergedTotal(aggregation, minutes.map(totalOfMinute));
  return {
    parts: {
      events: counted.events,
      quantity:
        aggregation === 'UNIQUE_COUNT'
          ? String(countedValues(mergePacked(values)))
          : quantityOf(aggregation, counted).toString(),
    },
    raw: { events: raw.events, quantity: quantityOf(aggregation, raw).toString() },
  };
}

async function partsUpTo(until: number, k: string, parts: PartCollection) {
  const found = await retryTransient(() =>
    parts.find({ _id: { $gte: `${k}:`, $lt: `${k};` } }).toArray(),
  );
  return found.filter((part) => epochOfPart(part) <= until);
}

function isIn(hour: Date): (minute: PartMinute) => boolean {
  const first = hour.getTime() / (hourMs / minutesOfHour);
  return ([minute]) => minute >= first && minute < first + minutesOfHour;
}

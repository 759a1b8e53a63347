import type { Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { mergedTotal, type PartialTotal, quantityOf, totalOf } from '../meter/aggregation';
import { measuredEvent } from '../usage/event-store';
import type { MeasuredSeries, Span } from '../usage/hour';
import { firstGeneration, openEvents } from './events';

/** Usage of adjacent spans, counted from all stored events. */
export async function recountUsage(
  db: Db,
  { environmentId }: Pick<Tenant, 'environmentId'>,
  { series, spans }: { readonly series: MeasuredSeries; readonly spans: readonly Span[] },
): Promise<{ readonly totals: readonly PartialTotal[]; readonly quantity: string }> {
  const { customerId, meterId, aggregation, uniqueProperty } = series;
  const stored = openEvents(db).of(firstGeneration);
  const found = await stored.find({ environmentId, customerId, meterId }).toArray();
  const events = found.map((event) => measuredEvent(event, uniqueProperty));
  const totals = spans.map(({ start, end }) =>
    totalOf(
      aggregation,
      events.filter(({ at }) => at >= start && at < end),
    ),
  );
  const quantity = quantityOf(aggregation, mergedTotal(aggregation, totals)).toString();
  return { totals, quantity };
}

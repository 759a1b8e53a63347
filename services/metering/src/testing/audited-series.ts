import { LargeReads } from '../distinct/run-large-read';
import { partOf } from '../flush/part';
import { fromPartDocument } from '../fold/bucket-document';
import { foldSeries } from '../fold/fold-series';
import type { Aggregation } from '../meter/aggregation';
import { readUsage } from '../span/read-usage';
import { hourMs } from '../usage/hour';
import { SeriesTable, storageOn } from './series-table';

export const aggregations: readonly Aggregation[] = [
  'SUM',
  'COUNT',
  'MAX',
  'LATEST',
  'UNIQUE_COUNT',
];
export const auditedHour = 490_000;
const start = new Date(auditedHour * hourMs);

/** A series with four events in an hour, three of them folded, and one in the next hour. */
export async function auditedSeries(aggregation: Aggregation) {
  const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
  const series = { customerId: 'c', meterId: 'm', aggregation, uniqueProperty };
  const table = new SeriesTable();
  const storage = storageOn(table);
  const events = [0, 90_000, 200_000, hourMs, 300_000].map((ms, index) => ({
    id: `e${String(index)}`,
    at: new Date(start.getTime() + ms),
    arrival: index,
    quantity: String(index + 1),
    uniqueValue: `u${String(index % 2)}`,
    epoch: index + 1,
    flush: `f${String(index)}`,
  }));
  for (const event of events) {
    table.events.push(event);
    const part = partOf(event, { k: 'k', meterId: 'm', aggregation }, [event]);
    table.insertPart(fromPartDocument(part));
  }
  table.until = 4;
  await foldSeries(storage, aggregation);
  const both = { start, end: new Date(start.getTime() + 2 * hourMs) };
  const read = async (span = both) => {
    const query = {
      environmentId: 'e',
      windows: [[span]],
      largeReads: new LargeReads(),
      signal: new AbortController().signal,
    };
    const { windows: found } = await readUsage(storage, series, query);
    return found[0]?.quantity.toString();
  };
  return { series, table, storage, read };
}

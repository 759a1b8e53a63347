import { partOf } from '../flush/part';
import type { BucketTotal } from '../fold/bucket';
import { fromPartDocument } from '../fold/bucket-document';
import { foldSeries } from '../fold/fold-series';
import type { Aggregation } from '../meter/aggregation';
import { LargeReads } from '../distinct/run-large-read';
import { readUsage } from '../span/read-usage';
import { SeriesTable, storageOn } from '../testing/series-table';
import { auditHour, repairHour } from './audit-hour';

const hourMs = 3_600_000;
const hour = 490_000;
const start = new Date(hour * hourMs);
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

/** A series with four events in an hour, three of them folded, and one in the next hour. */
async function aSeries(aggregation: Aggregation) {
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
  const windows = [[{ start, end: new Date(start.getTime() + 2 * hourMs) }]];
  const read = async () => {
    const query = {
      environmentId: 'e',
      windows,
      largeReads: new LargeReads(),
      signal: new AbortController().signal,
    };
    const { windows: found } = await readUsage(storage, series, query);
    return found[0]?.quantity.toString();
  };
  return { series, table, storage, read };
}

test.each(aggregations)(
  'an hour of %s equals its events, those of later epochs aside',
  async (one) => {
    const { series, storage } = await aSeries(one);
    const audit = await auditHour(storage, series, hour);
    expect(audit).toMatchObject({ isEqual: true, stored: { events: 3 } });
    expect(audit?.counted).toEqual(audit?.stored);
    expect(await auditHour(storage, series, hour + 1)).toMatchObject({ isEqual: true });
    expect(await auditHour(storage, series, hour + 2)).toBeUndefined();
  },
);

test.each(aggregations)(
  'a total of %s that was changed by hand is found, and its repair also corrects kept spans',
  async (one) => {
    const { series, table, storage, read } = await aSeries(one);
    const before = await read();
    const stored = table.hours.get(hour);
    if (stored === undefined) throw new Error('The hour is not stored');
    const damaged = ({ events, quantity, latest, values }: BucketTotal): BucketTotal => ({
      events: events + 2,
      quantity: quantity && '99',
      latest,
      values,
    });
    for (const id of table.values.keys()) table.values.set(id, [Buffer.alloc(0)]);
    const version = stored.version + 1;
    table.hours.set(hour, { ...stored, version, total: damaged(stored.total) });
    for (const [name, span] of table.spans) {
      table.spans.set(name, { ...span, total: damaged(span.total) });
    }
    expect(await read()).not.toBe(before);
    expect(await auditHour(storage, series, hour)).toMatchObject({
      isEqual: false,
      counted: { events: 3 },
    });
    await repairHour(storage, series, hour, () => Promise.resolve(true));
    expect(await auditHour(storage, series, hour)).toMatchObject({ isEqual: true });
    expect(await read()).toBe(before);
  },
);

test('a change of a minute or of the values alone is found, too', async () => {
  const sum = await aSeries('SUM');
  const stored = sum.table.hours.get(hour);
  if (stored === undefined) throw new Error('The hour is not stored');
  const [first, ...others] = stored.minutes;
  if (first === undefined) throw new Error('The hour has no minutes');
  const minutes = [[first[0] + 1, first[1], first[2]] as const, ...others];
  sum.table.hours.set(hour, { ...stored, minutes });
  expect(await auditHour(sum.storage, sum.series, hour)).toMatchObject({ isEqual: false });

  const unique = await aSeries('UNIQUE_COUNT');
  for (const [id, blocks] of unique.table.values) {
    const changed = blocks.map((block) => Buffer.from(block).fill(1, 0, 4));
    unique.table.values.set(id, changed);
  }
  expect(await auditHour(unique.storage, unique.series, hour)).toMatchObject({ isEqual: false });
});

import type { BucketTotal } from '../fold/bucket';
import {
  aggregations,
  auditedHour as hour,
  auditedSeries as aSeries,
} from '../testing/audited-series';
import { auditHour, repairHour } from './audit-hour';

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
    await repairHour(storage, series, hour, { hasAllEvents: () => Promise.resolve(true) });
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

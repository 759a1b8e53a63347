import { foldSeries } from '../fold/fold-series';
import { aggregations, auditedHour, auditedSeries } from '../testing/audited-series';
import { hourMs } from '../usage/hour';
import { repairHour } from './audit-hour';
import { findUncounted, rangesOf, readCounted } from './uncounted-events';

const all = { from: auditedHour - 100, to: auditedHour + 100 };

async function anAudit(aggregation: (typeof aggregations)[number]) {
  const audited = await auditedSeries(aggregation);
  const { storage } = audited;
  const find = async () => {
    const counted = await readCounted(storage, all);
    const found = await Promise.all(
      rangesOf(counted, all).map((range) => findUncounted(storage, counted, range)),
    );
    return {
      searched: found.reduce((sum, { searched }) => sum + searched, 0),
      uncounted: found.flatMap(({ uncounted }) => uncounted),
    };
  };
  return { ...audited, find };
}

test('hours with a bucket or a part are searched one by one, and gaps at once', async () => {
  const { storage } = await auditedSeries('SUM');
  const ranges = rangesOf(await readCounted(storage, all), all);
  const [h, { from, to }] = [auditedHour, all];
  expect(ranges).toEqual([
    { from, to: h },
    { from: h, to: h + 1 },
    { from: h + 1, to: h + 2 },
    { from: h + 2, to },
  ]);
});

test.each(aggregations)('all events of %s are counted before and after a fold', async (one) => {
  const { table, storage, find } = await anAudit(one);
  expect(await find()).toEqual({ searched: 4, uncounted: [] });
  table.until = 5;
  expect(await find()).toEqual({ searched: 5, uncounted: [] });
  await foldSeries(storage, one);
  expect(await find()).toEqual({ searched: 5, uncounted: [] });
});

test.each(aggregations)(
  'a part of %s that is gone is found, and the repair counts it',
  async (one) => {
    const { series, table, storage, read, find } = await anAudit(one);
    table.until = 5;
    const before = await read();
    table.parts.clear();
    const { uncounted } = await find();
    expect(uncounted).toEqual([{ hour: auditedHour, counted: 3, stored: 4 }]);
    await repairHour(storage, series, auditedHour, { upTo: 5 });
    expect(await find()).toEqual({ searched: 5, uncounted: [] });
    expect(await read()).toBe(before);
  },
);

test('an hour that is gone is found', async () => {
  const { table, find } = await anAudit('SUM');
  table.hours.delete(auditedHour + 1);
  expect((await find()).uncounted).toEqual([{ hour: auditedHour + 1, counted: 0, stored: 1 }]);
});

test('events of earlier versions, which have no flush, are not searched', async () => {
  const { table, find } = await anAudit('SUM');
  const at = new Date((auditedHour + 7) * hourMs);
  const event = { id: 'x', at, arrival: 0, quantity: '1', uniqueValue: null };
  table.events.push({ ...event, epoch: 0, flush: '' });
  expect(await find()).toEqual({ searched: 4, uncounted: [] });
});

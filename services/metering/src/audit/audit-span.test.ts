import type { SpanBucket } from '../fold/span-bucket';
import { foldSeries } from '../fold/fold-series';
import { aggregations, auditedHour, auditedSeries } from '../testing/audited-series';
import { hourMs, type Span } from '../usage/hour';
import { withdrawSpan } from './audit-hour';
import { auditSpan } from './audit-span';

const startMs = auditedHour * hourMs;
const at = (ms: number) => new Date(startMs + ms);
/** Whole hours, minutes, and edges that cut a minute of parts and of an hour. */
const spans: readonly Span[] = [
  { start: at(0), end: at(2 * hourMs) },
  { start: at(60_000), end: at(hourMs) },
  { start: at(89_999), end: at(200_001) },
  { start: at(90_001), end: at(300_000) },
];

test.each(aggregations)('kept spans of %s equal their hours, folded or not', async (one) => {
  const { series, table, storage, read } = await auditedSeries(one);
  for (const span of spans) await read(span);
  expect(table.spans.size).toBe(spans.length);
  for (const until of [4, 5]) {
    table.until = until;
    for (const span of spans) {
      const audit = await auditSpan(storage, series, span);
      expect(audit).toMatchObject({ isEqual: true });
      expect(audit?.summed).toEqual(audit?.stored);
    }
  }
  await foldSeries(storage, one);
  for (const span of spans) {
    const audit = await auditSpan(storage, series, span);
    // The fold has made a stub of a span whose edge cuts a minute of a part.
    if (audit !== undefined) expect(audit).toMatchObject({ isEqual: true });
  }
});

test.each(aggregations)('a kept span of %s that lacks an event is found', async (one) => {
  const { series, table, storage, read } = await auditedSeries(one);
  const [whole = { start: at(0), end: at(0) }] = spans;
  const before = await read(whole);
  const [name = '', kept] = [...table.spans].at(0) ?? [];
  if (kept === undefined) throw new Error('The span is not kept');
  const { total } = kept;
  const damaged: SpanBucket = { ...kept, total: { ...total, events: total.events - 1 } };
  table.spans.set(name, damaged);
  expect(await auditSpan(storage, series, whole)).toMatchObject({
    isEqual: false,
    summed: { events: total.events },
  });
  await withdrawSpan(storage, damaged);
  expect(await auditSpan(storage, series, whole)).toBeUndefined();
  expect(await read(whole)).toBe(before);
  expect(await auditSpan(storage, series, whole)).toMatchObject({ isEqual: true });
});

test('distinct values of a kept span that differ are found', async () => {
  const { series, table, storage, read } = await auditedSeries('UNIQUE_COUNT');
  const [whole = { start: at(0), end: at(0) }] = spans;
  await read(whole);
  for (const [id, blocks] of table.values) {
    if (id.startsWith('hour')) continue;
    const changed = blocks.map((block) => Buffer.from(block).fill(1, 0, 4));
    table.values.set(id, changed);
  }
  expect(await auditSpan(storage, series, whole)).toMatchObject({ isEqual: false });
});

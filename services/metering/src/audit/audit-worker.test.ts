import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { sliceCount } from '@billing/chassis/slices';
import { auditedHour, auditedSeries } from '../testing/audited-series';
import { hourMs } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import { UsageAudit, type UsageAuditDependencies } from './audit-worker';

/** A series whose kept span differs from its hours, and what its audit depends on. */
async function seriesWithWrongSpan() {
  const { series, table, storage, read } = await auditedSeries('SUM');
  await read();
  for (const [name, span] of table.spans) {
    table.spans.set(name, { ...span, total: { ...span.total, quantity: '1' } });
  }
  const document = { _id: seriesKey('e', series), live: true, timeline: { type: 'REAL' } };
  const meter = { state: { aggregation: 'SUM', uniqueProperty: null } };
  const recorded: unknown[] = [];
  const dependencies = {
    meters: { within: () => ({ find: () => Promise.resolve(meter) }) },
    storageOf: () => storage,
    isDeleted: () => false,
    metrics: { recordAuditedHour: (one: unknown) => recorded.push(one) },
    // Years after the usage.
    clock: systemClock,
  };
  return { document, recorded, dependencies };
}

test('samples begin at the given slice, and go on through all slices', async () => {
  const sampled: number[] = [];
  const store = {
    ofSlice: (slice: number) => {
      sampled.push(slice);
      return [];
    },
  };
  const audit = new UsageAudit({
    store,
    slices: { filter: () => ({}) },
    firstSlice: sliceCount - 2,
    clock: systemClock,
  } as unknown as UsageAuditDependencies);
  for (let run = 0; run < 4; run += 1) await audit.sample(new AbortController().signal);
  expect(sampled).toEqual([sliceCount - 2, sliceCount - 1, 0, 1]);
});

test('a check whose caller left ends after a series without hours, and the next call continues', async () => {
  const keys = ['a:c:m:', 'b:c:m:', 'c:c:m:'];
  const store = {
    firstFrom: (from: string) => {
      const _id = keys.find((key) => key >= from);
      return Promise.resolve(_id === undefined ? null : { _id });
    },
  };
  const audit = new UsageAudit({
    store,
    // Usage that is being deleted has no hours.
    isDeleted: () => true,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  } as unknown as UsageAuditDependencies);
  const left = AbortSignal.abort();
  const check = (after: string, signal = left) =>
    audit.check({ prefix: '', isRepaired: false, after }, signal);
  expect(await check('')).toMatchObject({ compared: [], next: 'a:c:m:!' });
  expect(await check('a:c:m:!')).toMatchObject({ compared: [], next: 'b:c:m:!' });
  const { signal } = new AbortController();
  expect(await check('b:c:m:!', signal)).toMatchObject({ compared: [], next: '' });
});

test('a check starts with the oldest hour whose events are kept, and a span that differs raises the alarm', async () => {
  const { document, recorded, dependencies } = await seriesWithWrongSpan();
  const checkSince = async (keptSince: Date, isRepaired = false) => {
    recorded.length = 0;
    const audit = new UsageAudit({
      store: {
        firstFrom: (from: string) => Promise.resolve(from > document._id ? null : document),
        keptSince: () => Promise.resolve(keptSince),
        hasEarlierEvents: () => Promise.resolve(false),
      },
      ...dependencies,
      logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
    } as unknown as UsageAuditDependencies);
    const { signal } = new AbortController();
    return audit.check({ prefix: '', isRepaired, after: '' }, signal);
  };
  const equal = { result: 'EQUAL', live: true };
  const mismatch = { result: 'MISMATCH', live: true };

  const found = await checkSince(new Date(0));
  expect(found.compared.map(({ hour }) => hour)).toEqual([auditedHour, auditedHour + 1]);
  expect(found.spans).toMatchObject([{ isEqual: false }]);
  expect(recorded).toEqual([equal, equal, mismatch]);
  const later = await checkSince(new Date((auditedHour + 1) * hourMs), true);
  expect(later.compared.map(({ hour }) => hour)).toEqual([auditedHour + 1]);
  expect(recorded).toEqual([equal, mismatch, { result: 'REPAIRED', live: true }]);
  expect((await checkSince(new Date(0))).spans).toEqual([]);
});

test('a recount after a restore repairs without an alarm, and counts the hours that it skips', async () => {
  const { document, recorded, dependencies } = await seriesWithWrongSpan();
  const logged: unknown[] = [];
  const log =
    (level: string) =>
    (facts: object, text: string): void => {
      logged.push([level, facts, text]);
    };
  const audit = new UsageAudit({
    store: {
      touchedSince: async function* () {
        yield document;
      },
      keptSince: () => Promise.resolve(new Date(0)),
      // Earlier events of the first hour are not kept.
      hasEarlierEvents: (_one: unknown, { start }: { start: Date }) =>
        Promise.resolve(start.getTime() === auditedHour * hourMs),
    },
    ...dependencies,
    logger: { error: log('error'), warn: log('warn') },
  } as unknown as UsageAuditDependencies);
  const counts = await audit.recount(new Date(auditedHour * hourMs));
  expect(counts).toEqual({ series: 1, hours: 1, repaired: 1, skipped: 1 });
  expect(logged).toEqual([
    ['warn', { series: document._id, repaired: 1 }, 'usage repaired after a restore'],
  ]);
  expect(recorded).toEqual([
    { result: 'SKIPPED', live: true },
    { result: 'EQUAL', live: true },
    { result: 'REPAIRED', live: true },
  ]);
});

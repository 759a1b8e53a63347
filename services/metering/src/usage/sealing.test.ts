import { type MeasuredEvent, type PartialTotal } from '../meter/aggregation';
import { hourMs, type UsageHour, type UsageStorage } from './hour';
import { sealSeries } from './sealing';

const series = {
  customerId: 'c',
  meterId: 'm',
  aggregation: 'SUM' as const,
  uniqueProperty: null,
};
const until = new Date('2026-03-01T00:00:00Z');
const hourBefore = (hours: number) => new Date(until.getTime() - hours * hourMs);

/**
 * Hours before `until` that were sealed and must be counted again; storage returns at most `atOnce`
 * of them per call.
 */
function reopened(hours: number, { atOnce = Infinity }: { atOnce?: number } = {}) {
  const open = Array.from({ length: hours }, (_, index): UsageHour => {
    return { hour: hourBefore(index + 1), version: 1, pending: [], total: null };
  });
  const sealed: PartialTotal[] = [];
  const never = () => Promise.reject(new Error('Never asked'));
  const storage: Omit<UsageStorage, 'eventsIn'> = {
    beginLate: never,
    finishLate: never,
    hoursIn: never,
    dropPending: never,
    edgeOf: never,
    moveSealedUntil: never,
    sealedUntil: async () => until,
    hoursWithoutTotal: async () => open.slice(0, atOnce),
    seal: async (_series, { hour }, total) => {
      open.splice(
        open.findIndex((one) => one.hour.getTime() === hour.getTime()),
        1,
      );
      sealed.push(total);
      return true;
    },
  };
  return { sealed, storage };
}

test('an hour is counted while its events are read: sealing keeps no event until the others arrive', async () => {
  const { sealed, storage } = reopened(1);
  async function* eventsIn() {
    const event = { id: 'e', at: hourBefore(1), arrival: 1, quantity: '', uniqueValue: null };
    // One reused object: an implementation that collects events would count the last one three
    // times.
    for (const quantity of ['1', '2', '4'])
      yield Object.assign(event, { quantity }) as MeasuredEvent;
  }
  expect(await sealSeries({ ...storage, eventsIn }, series, { until, now: until })).toBe(true);
  expect(sealed).toEqual([{ events: 3, quantity: '7', latest: null, distinct: [] }]);
});

test('a series with more open hours than storage returns at once is reported done only after the last of them', async () => {
  const { sealed, storage } = reopened(5, { atOnce: 2 });
  async function* eventsIn() {}
  const seal = () => sealSeries({ ...storage, eventsIn }, series, { until, now: until });
  expect([await seal(), sealed.length]).toEqual([false, 2]);
  expect([await seal(), sealed.length]).toEqual([false, 4]);
  expect([await seal(), sealed.length]).toEqual([true, 5]);
  expect([await seal(), sealed.length]).toEqual([true, 5]);
});

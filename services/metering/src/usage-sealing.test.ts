import { type MeasuredEvent, type PartialTotal } from './aggregation';
import { hourMs, type UsageHour, type UsageStorage } from './usage-hour';
import { sealSeries } from './usage-sealing';

const series = {
  customerId: 'c',
  meterId: 'm',
  aggregation: 'SUM' as const,
  uniqueProperty: null,
};
const until = new Date('2026-03-01T00:00:00Z');
const hourBefore = (hours: number) => new Date(until.getTime() - hours * hourMs);

/** Hours before `until` that were sealed once and must be counted anew, of which storage gives so many at a time. */
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

test('an hour is counted anew as its events are read: none of them is kept until the others have come', async () => {
  const { sealed, storage } = reopened(1);
  async function* eventsIn() {
    const event = { id: 'e', at: hourBefore(1), arrival: 1, quantity: '', uniqueValue: null };
    // One object for all of them: who kept it would count the last one thrice.
    for (const quantity of ['1', '2', '4'])
      yield Object.assign(event, { quantity }) as MeasuredEvent;
  }
  expect(await sealSeries({ ...storage, eventsIn }, series, { until, now: until })).toBe(true);
  expect(sealed).toEqual([{ events: 3, quantity: '7', latest: null, distinct: [] }]);
});

test('a series with more open hours than storage gives at once is not done before the last of them', async () => {
  const { sealed, storage } = reopened(5, { atOnce: 2 });
  async function* eventsIn() {}
  const seal = () => sealSeries({ ...storage, eventsIn }, series, { until, now: until });
  expect([await seal(), sealed.length]).toEqual([false, 2]);
  expect([await seal(), sealed.length]).toEqual([false, 4]);
  expect([await seal(), sealed.length]).toEqual([true, 5]);
  expect([await seal(), sealed.length]).toEqual([true, 5]);
});

import {
  firstArrivalOf,
  type Generation,
  generationOf,
  generationsBefore,
  generationsHolding,
  isComplete,
  isOver,
  isPastRetention,
  nameOfMonth,
  startOfMonth,
} from './generation';

const at = (text: string) => new Date(text);
const first: Generation = { name: 'usageEvents', from: 0, since: at('2026-11-23T09:00:00Z') };
const december: Generation = {
  name: 'usageEvents_202612',
  from: 900,
  since: at('2026-12-01T00:00:04Z'),
};
const january: Generation = {
  name: 'usageEvents_202701',
  from: 2_000,
  since: at('2027-01-01T00:00:02Z'),
};
const all = [first, december, january];
const names = (some: readonly Pick<Generation, 'name'>[]) => some.map(({ name }) => name);

test('a generation is named after its month and ends with it', () => {
  expect(nameOfMonth(at('2027-01-31T23:59:59.999Z'))).toBe('usageEvents_202701');
  expect(startOfMonth(at('2026-12-31T10:00:00Z'), 1)).toEqual(at('2027-01-01T00:00:00Z'));
  expect(isOver(december, at('2026-12-31T23:59:59.999Z'))).toBe(false);
  expect(isOver(december, at('2027-01-01T00:00:00Z'))).toBe(true);
  // The clock of another process is behind.
  expect(isOver(december, at('2026-11-30T23:59:50Z'))).toBe(false);
});

test('an epoch belongs to the last generation that began with it or before', () => {
  expect([0, 899, 900, 1_999, 2_000, 9_999].map((epoch) => generationOf(all, epoch).from)).toEqual([
    0, 0, 900, 900, 2_000, 2_000,
  ]);
});

test('generations before a generation are known by the time at which arrivals ended', () => {
  expect(generationsBefore(all, first)).toEqual([]);
  expect(generationsBefore(all, december)).toEqual([
    { name: 'usageEvents', arrivedBeforeMs: at('2026-12-01T00:15:04Z').getTime() },
  ]);
  expect(names(generationsBefore(all, january))).toEqual(['usageEvents_202612', 'usageEvents']);
});

test('a copy of an event may have arrived five minutes before its timestamp', () => {
  const now = at('2026-12-20T00:00:00Z');
  const sent = { timestamp: now, isRepeatable: false, hasManualClock: false };
  expect(firstArrivalOf(sent, now)).toBe(at('2026-12-19T23:55:00Z').getTime());
});

test('a copy under the same id may have arrived within seven days, or since an earlier timestamp', () => {
  const now = at('2026-12-20T00:00:00Z');
  const sent = { timestamp: now, isRepeatable: true, hasManualClock: false };
  expect(firstArrivalOf(sent, now)).toBe(at('2026-12-13T00:00:00Z').getTime());
  const old = { ...sent, timestamp: at('2026-11-20T00:00:00Z') };
  expect(firstArrivalOf(old, now)).toBe(at('2026-11-19T23:55:00Z').getTime());
});

test('a copy in an environment with a manual clock may have arrived at any time', () => {
  const now = at('2026-12-20T00:00:00Z');
  expect(firstArrivalOf({ timestamp: now, isRepeatable: false, hasManualClock: true }, now)).toBe(
    0,
  );
});

test.each([
  ['before all changes', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', ['', '_202612']],
  ['36 days before a change', '2026-10-20T00:00:00Z', '2026-10-26T00:00:00Z', ['']],
  [
    'just after a change',
    '2026-12-01T00:20:00Z',
    '2026-12-01T00:30:00Z',
    ['', '_202612', '_202701'],
  ],
  [
    '21 minutes after a change',
    '2026-12-01T00:21:00Z',
    '2026-12-02T00:00:00Z',
    ['_202612', '_202701'],
  ],
  ['in the last month', '2027-01-02T00:00:00Z', undefined, ['_202701']],
  ['without an edge', undefined, undefined, ['', '_202612', '_202701']],
])('events of a span %s are in %s to %s', (_name, start, end, expected) => {
  const holding = generationsHolding(all, {
    start: start === undefined ? undefined : at(start),
    end: end === undefined ? undefined : at(end),
  });
  expect(names(holding)).toEqual(expected.map((suffix) => `usageEvents${suffix}`));
});

test('events are complete from the oldest generation on, and under a manual clock until a drop', () => {
  const isWhole = (generations: readonly Generation[], from: string, hasManualClock = false) =>
    isComplete(generations, { from: at(from), hasManualClock });
  expect(isWhole(all, '2020-01-01T00:00:00Z')).toBe(true);
  expect(isWhole(all, '2020-01-01T00:00:00Z', true)).toBe(true);
  const kept = [december, january];
  expect(isWhole(kept, '2026-12-01T00:00:00Z')).toBe(false);
  expect(isWhole(kept, '2026-12-02T00:00:00Z')).toBe(true);
  expect(isWhole(kept, '2030-01-01T00:00:00Z', true)).toBe(false);
});

test('a generation is past its retention when all its events are older than the months', () => {
  const isPast = (now: string) => isPastRetention(december, { months: 3, now: at(now) });
  expect(isPast('2027-03-01T00:00:03Z')).toBe(false);
  expect(isPast('2027-03-01T00:00:04Z')).toBe(true);
});

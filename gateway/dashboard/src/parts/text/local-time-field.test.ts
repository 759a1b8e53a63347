import {
  changedTime,
  filterTime,
  fromLocalField,
  toLocalField,
  typedTime,
} from './local-time-field';

test.each([
  [2026, 1, 28, 10, 0, '2026-02-28T10:00'],
  [2026, 11, 1, 0, 5, '2026-12-01T00:05'],
] as const)('a typed time is that of the reader: %#', (year, month, day, hour, minute, typed) => {
  const time = new Date(year, month, day, hour, minute).toISOString();
  expect(fromLocalField(typed)).toBe(time);
  expect(toLocalField(time)).toBe(typed);
});

test('a time of a form keeps its seconds, and an empty field is no time', () => {
  const time = new Date(2026, 1, 28, 23, 59, 59).toISOString();
  expect(toLocalField(time)).toBe('2026-02-28T23:59:59');
  expect(typedTime('2026-02-28T23:59:59')).toBe(time);
  expect(typedTime(undefined)).toBeUndefined();
});

test('a time of a form stays unless its text is changed', () => {
  // The field has no milliseconds, and one text for two times at the end of summer time.
  const before = new Date(2026, 1, 28, 23, 59, 59, 7).toISOString();
  const typed = toLocalField(before);
  expect(typed).toBe(toLocalField(fromLocalField(typed)));
  expect(changedTime(typed, before)).toBe(before);
  expect(changedTime(typed, null)).toBe(fromLocalField(typed));
  expect(changedTime('2026-03-01T10:00', before)).toBe(fromLocalField('2026-03-01T10:00'));
  expect(changedTime(undefined, before)).toBeNull();
});

test.each(['', 'soon'])('%p is no time', (text) => {
  expect([fromLocalField(text), toLocalField(text)]).toEqual(['', '']);
});

test('a link from before has its times in UTC', () => {
  expect(filterTime('2026-02-28T10:00')).toBe('2026-02-28T10:00:00Z');
  expect(filterTime('2026-02-28T10:00:30')).toBe('2026-02-28T10:00:30Z');
  expect(filterTime('2026-02-28T10:00:00.000Z')).toBe('2026-02-28T10:00:00.000Z');
  expect(filterTime('')).toBe('');
});

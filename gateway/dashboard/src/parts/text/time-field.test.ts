import { fromTimeField, toTimeField } from './time-field';

test('the value of a datetime-local field is UTC', () => {
  expect(fromTimeField('2026-02-28T10:00')).toBe('2026-02-28T10:00:00Z');
  expect(fromTimeField('2026-02-28T10:00:30')).toBe('2026-02-28T10:00:30Z');
  expect(fromTimeField(undefined)).toBeUndefined();
  expect(toTimeField('2026-02-28T10:00:30.123Z')).toBe('2026-02-28T10:00:30');
});

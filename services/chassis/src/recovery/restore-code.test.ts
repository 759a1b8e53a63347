import { restoreCodeAt } from './restore-code';

describe('the code of a restore', () => {
  test.each([
    ['2026-11-22T15:30:00Z', 'WH5C2'],
    ['2026-11-22T15:30:59.999Z', 'WH5C2'],
    ['2027-01-01T00:00:00Z', 'WJWQ0'],
    ['1970-01-01T00:00:00Z', '0'],
  ])('at %s is %s', (time, code) => {
    expect(restoreCodeAt(new Date(time))).toBe(code);
  });

  test('sorts like its time', () => {
    const times = [0, 1, 31, 32, 33, 1_000].map(
      (minutes) => new Date(Date.UTC(2026, 10, 28, 22, minutes)),
    );
    expect(times.map(restoreCodeAt).toSorted()).toEqual(times.map(restoreCodeAt));
  });
});

import { restoreCodeAt, restoreCodeOf, restoreCodesAfter } from './restore-codes';

describe('the restore code of an event', () => {
  test.each<[string | undefined, number, string | null]>([
    [undefined, 1, null],
    ['WH5C2:5', 4, null],
    ['WH5C2:5', 5, 'WH5C2'],
    ['WH5C2:5,WJWQ0:9', 8, 'WH5C2'],
    ['WH5C2:5,WJWQ0:9', 9, 'WJWQ0'],
    ['WH5C2:5,WJWQ0:9', 12, 'WJWQ0'],
  ])('of a subject with %s, number %d is %s', (codes, sequence, code) => {
    expect(restoreCodeOf(codes, sequence)).toBe(code);
  });

  test('the first event under a code begins it', () => {
    const first = restoreCodesAfter(undefined, { code: 'WH5C2', sequence: 5 });
    expect(first).toBe('WH5C2:5');
    expect(restoreCodesAfter(first, { code: 'WH5C2', sequence: 6 })).toBe(first);
    expect(restoreCodesAfter(first, { code: 'WJWQ0', sequence: 7 })).toBe('WH5C2:5,WJWQ0:7');
  });

  test('before any restore there is none', () => {
    expect(restoreCodesAfter(undefined, { code: null, sequence: 5 })).toBeUndefined();
  });
});

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

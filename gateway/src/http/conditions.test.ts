import { readIfMatch, unlessMatched } from './conditions';

describe('If-Match', () => {
  test.each([
    [undefined, undefined],
    ['*', undefined],
    ['"7"', 7n],
    [' "12" ', 12n],
    ['"7.100"', 7n],
  ])('%j names the version %s', (header, version) => {
    expect(readIfMatch(header)).toBe(version);
  });

  test.each(['7', 'W/"7"', '"7."', '"x"', '""', '"1", "2"', '"9999999999999999999"'])(
    '%j names no version that a resource can have',
    (header) => {
      expect(() => readIfMatch(header)).toThrow(
        expect.objectContaining({ kind: 'stale', message: 'Stale version' }),
      );
    },
  );
});

describe('If-None-Match', () => {
  const answer = { status: 200, body: { id: 'x' }, headers: { ETag: '"7"' } };

  test.each(['"7"', 'W/"7"', '"6", "7"', '*'])(
    'the value %j returns 304 without a body',
    (header) => {
      expect(unlessMatched(header, answer)).toEqual({ status: 304, headers: { ETag: '"7"' } });
    },
  );

  test.each([undefined, '"6"', '7', ''])('the value %j returns the resource', (header) => {
    expect(unlessMatched(header, answer)).toBe(answer);
  });

  test('a 304 has the other headers of the response', () => {
    const headers = { ETag: '"7"', 'Content-Security-Policy': 'p', 'Content-Type': 'text/html' };
    expect(unlessMatched('"7"', { ...answer, headers })).toEqual({
      status: 304,
      headers: { ETag: '"7"', 'Content-Security-Policy': 'p' },
    });
  });

  test('a response without a version ignores the header', () => {
    const list = { status: 200, body: { data: [] } };
    expect(unlessMatched('*', list)).toBe(list);
  });
});

import { BSON } from 'mongodb';
import { lostFields } from './shape';

describe('a document of the former release', () => {
  test.each<[string, unknown, unknown[], string[]]>([
    ['has nothing that others lack', { a: [{ b: 1 }] }, [{ a: [{ b: 2, c: 3 }] }], []],
    ['has a field that is in some of them', { a: 1 }, [{}, { a: 2 }], []],
    ['has a field that was renamed', { a: { b: 1 } }, [{ a: { c: 1 } }], ['.a.b is gone']],
    ['has a field of another type', { a: 1 }, [{ a: '1' }], ['.a was number and is string']],
    ['has a field that is null in all of them', { a: 1 }, [{ a: null }], []],
    ['has a field that was null', { a: null }, [{ a: 1 }], []],
    ['has items of another type', { a: [1] }, [{ a: ['1'] }], ['.a[] was number and is string']],
    ['has numbers of another width', { a: BSON.Long.fromNumber(1) }, [{ a: 1 }], []],
    ['has a map with other keys', { a: { '2026-01': 1 } }, [{ a: { '2027-02': 1 } }], []],
    [
      'has a date that became a text',
      { a: new Date(0) },
      [{ a: 'x' }],
      ['.a was date and is string'],
    ],
  ])('%s', (_name, document, others, expected) => {
    expect(lostFields(document, others)).toEqual(expected);
  });
});

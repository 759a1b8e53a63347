import { differences } from './differences';

describe('differences of two answers', () => {
  test.each<[string, unknown, unknown, string[]]>([
    ['equal values', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['a new field', { a: 1 }, { a: 1, b: 2 }, []],
    ['a new field of an item', [{ a: 1 }], [{ a: 1, b: 2 }], []],
    ['a field that is gone', { a: 1 }, {}, ['.a: 1 became nothing']],
    ['a field that became null', { a: { b: 1 } }, { a: null }, ['.a: {"b":1} became null']],
    ['another type', { a: 1 }, { a: '1' }, ['.a: 1 became "1"']],
    ['another item', { a: [1, 2] }, { a: [1, 3] }, ['.a[1]: 2 became 3']],
    ['a lost item', [1, 2], [1], [': 2 items became 1']],
    ['a list that became an object', { a: [] }, { a: {} }, ['.a: [] became {}']],
    ['the last use of a key', { lastUsedAt: 'a', id: 1 }, { lastUsedAt: 'b', id: 1 }, []],
  ])('%s', (_name, before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });
});

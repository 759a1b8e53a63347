import { KnownFields } from './known-fields';

const id = '01a2225c-9424-754d-b781-042b7a37c5f1';
const otherId = '01a2225c-b236-7656-bdd4-b62aa7dd7fbb';

describe('fields that a release shows', () => {
  test.each<[string, unknown, unknown, unknown]>([
    ['are kept', { a: 1 }, { a: 2 }, { a: 2 }],
    ['do not include a new one', { a: 1 }, { a: 1, b: 2 }, { a: 1 }],
    ['do not include a new one of an item', [{ a: 1 }], [{ a: 1 }, { b: 2 }], [{ a: 1 }, {}]],
    ['do not include a new one below another', { a: { b: 1 } }, { a: { c: 1 } }, { a: {} }],
    [
      'are those of all ids',
      { [id]: { a: 1 } },
      { [otherId]: { a: 1, b: 2 } },
      { [otherId]: { a: 1 } },
    ],
    ['are not known of an object that was null', { a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_name, learned, value, expected) => {
    const known = new KnownFields();
    known.learn(learned);
    expect(known.only(value)).toEqual(expected);
  });
});

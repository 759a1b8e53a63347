import fc from 'fast-check';
import {
  beginningWith,
  correctionsOf,
  isIdBeginning,
  matches,
  queryWordsOf,
  searchKeysOf,
} from './search-words';

type Texts = readonly (string | null | undefined)[];

const keysOf = (texts: Texts) => searchKeysOf({ texts });
const wordsOf = (...texts: Texts) =>
  keysOf(texts)
    .filter((key) => key.endsWith(' '))
    .map((key) => key.slice(0, -1));

/** True if a search by keys finds a resource with these texts. */
const isFound = (query: string, texts: Texts) => {
  const keys = keysOf(texts);
  const words = queryWordsOf(query);
  const conditions = words.flatMap(beginningWith);
  const hasKeys = conditions.every((condition) => condition.keys.some((key) => keys.includes(key)));
  const isMatch = hasKeys && words.every((word) => matches(keys, word));
  // An exact condition needs no comparison.
  if (hasKeys && conditions.every(({ isExact }) => isExact)) expect(isMatch).toBe(true);
  return isMatch;
};

describe('the words of a resource', () => {
  test.each<[string, Texts, readonly string[]]>([
    ['none without texts', [null, undefined, ''], []],
    ['none of punctuation alone', ['– … !'], []],
    ['each word of a name', ['Ada Lovelace'], ['ada', 'lovelace']],
    ['a word once', ['Ada Ada', 'ADA'], ['ada']],
    [
      'the parts of an email address',
      ['ada@example.com'],
      ['ada@example.com', 'example.com', 'com'],
    ],
    ['no punctuation around a word', ['(Lovelace), "Ada"'], ['lovelace', 'ada']],
    ['no apostrophe', ['O’Brien-Smith'], ['obrien-smith', 'smith']],
    ['no accents', ['Zoë Ångström Müller'], ['zoe', 'angstrom', 'muller']],
    ['letters without decomposition', ['Søren Łukasz Straße'], ['soren', 'lukasz', 'strasse']],
    ['other scripts', ['Αθήνα 東京都'], ['αθηνα', '東京都']],
    ['full-width letters', ['ＡＤＡ'], ['ada']],
  ])('are %s', (_case, texts, words) => {
    expect(wordsOf(...texts)).toEqual(words);
  });

  test('are limited in number and length', () => {
    const many = Array.from({ length: 100 }, (_, index) => `w${String(index)}`).join(' ');
    expect(wordsOf(many, 'last').length).toBe(17);
    expect(wordsOf('a'.repeat(100))).toEqual(['a'.repeat(40)]);
    expect(isFound('a'.repeat(100), ['a'.repeat(90)])).toBe(true);
  });
});

test('the keys of a resource are beginnings and whole words', () => {
  expect(keysOf(['Ada'])).toEqual(['ad', 'ada', 'ada ']);
  expect(keysOf(['x'.repeat(18)]).map((key) => key.length)).toEqual([
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19,
  ]);
});

test.each([
  ['the first group of an id', '0190a000', true],
  ['a beginning that ends inside a group', '0190a000-00', true],
  ['an id', '0190a000-0000-7000-8000-000000000001', true],
  ['seven characters', '0190a00', false],
  ['nine characters without a hyphen', '0190a0000', false],
  ['other letters', '0190a00g', false],
])('%s: a beginning of an id is %s: %s', (_case, word, expected) => {
  expect(isIdBeginning(word)).toBe(expected);
});

describe('a query', () => {
  const name = 'Ada Lovelace-Byron';
  test.each<[string, string, boolean]>([
    ['a beginning of the first name', 'ad', true],
    ['beginnings of words in any order', 'love ada', true],
    ['another case and other accents', 'ÁDA', true],
    ['a beginning with a hyphen', 'lovelace-by', true],
    ['a beginning with a hyphen, one letter of it wrong', 'lovelace-bx', false],
    ['more letters than keys have', 'ada.lovelace@example.c', true],
    ['more letters than keys have, one of them wrong', 'ada.lovelace@example.x', false],
    ['more letters than keys have, from the middle of the address', 'lovelace@example.c', true],
    ['the address', 'ada.lovelace@example.com', true],
    ['the domain', 'example.com', true],
    ['a beginning of the domain', 'exam', true],
    ['a word that no word begins with', 'ada babbage', false],
    ['the middle of a word', 'velace', false],
    ['one letter', 'a', false],
  ])('of %s: %s', (_case, query, expected) => {
    expect(isFound(query, [name, 'ada.lovelace@example.com'])).toBe(expected);
  });

  const company =
    'Müller & Söhne Maschinenbau und Anlagentechnik Vertriebs GmbH & Co. KG Zweigniederlassung Süd Stuttgart';
  test.each([
    ['the address', 'office@mueller.example'],
    ['the external id', 'cus_000123'],
    ['the last word of the name', 'stuttgart'],
  ])('of %s finds a customer with a long name', (_case, query) => {
    expect(isFound(query, [company, 'office@mueller.example', 'cus_000123'])).toBe(true);
  });

  test.each([
    ['without parts', 'tenant00', 4],
    ['with parts', 'acme-production-tenant-0', 5],
  ])('of a beginning that few resources have compares these alone: %s', (_case, begin, digits) => {
    const externalIds = Array.from(
      { length: 10 ** digits },
      (_, number) => `${begin}${String(number).padStart(digits, '0')}`,
    );
    const shared = `${begin}${'123456'.slice(0, digits - 1)}`;
    const hasKeys = (text: string) => {
      const keys = new Set(keysOf([text]));
      return beginningWith(shared).every((condition) =>
        condition.keys.some((key) => keys.has(key)),
      );
    };
    const compared = externalIds.filter(hasKeys);
    expect(compared).toEqual(externalIds.filter((text) => text.startsWith(shared)));
    expect(compared.length).toBe(10);
  });

  test('has at most five words', () => {
    expect(queryWordsOf('a b c d e f g')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  const text = fc.string({ unit: 'grapheme', maxLength: 60 });

  test('of the whole text finds the text', () => {
    fc.assert(
      fc.property(text, (whole) => {
        fc.pre(wordsOf(whole).length < 16);
        expect(isFound(whole, [whole])).toBe(true);
      }),
    );
  });

  test('of a beginning of a word finds the text', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 2, max: 40 }), (whole, which, length) => {
        const words = wordsOf(whole);
        fc.pre(words.length < 16);
        const letters = Array.from(words[which % words.length] ?? '');
        fc.pre(letters.length >= length);
        const begun = letters.slice(0, length).join('');
        const all = keysOf([whole]);
        for (const { keys } of beginningWith(begun)) {
          expect(keys.some((key) => all.includes(key))).toBe(true);
        }
        expect(matches(all, begun)).toBe(true);
      }),
    );
  });

  test('of the words of a query is the same query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (query) => {
        const words = queryWordsOf(query);
        expect(queryWordsOf(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('the corrections of a word', () => {
  test.each([
    ['a missing letter', 'lovelce'],
    ['an extra letter', 'lovelaxce'],
    ['a wrong letter', 'lovelxce'],
    ['two swapped letters', 'lovealce'],
    ['a missing first letter', 'ovelace'],
    ['a missing last letter', 'lovelac'],
  ])('include the word that it has %s of', (_case, typed) => {
    expect(correctionsOf(typed)).toContain('lovelace');
  });

  test.each([
    ['a short word', 'ada'],
    ['a code', 'pro42'],
    ['a long word', 'a'.repeat(17)],
  ])('are none for %s', (_case, typed) => {
    expect(correctionsOf(typed)).toEqual([]);
  });

  test('are few enough for one query, and not the word itself', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,16}$/), (word) => {
        const corrections = correctionsOf(word);
        expect(corrections.length).toBeLessThan(1_000);
        expect(corrections).not.toContain(word);
      }),
    );
  });
});

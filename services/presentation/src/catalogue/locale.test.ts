import { languageNames, languageOf, languages, preferredLocale, supportedLocale } from './locale';

test.each([
  ['de-ch', 'de-CH'],
  ['EN', 'en'],
  ['fr-ca', 'fr-CA'],
  ['zh-Hans-HK', 'zh-Hans-HK'],
  ['zh-CN', 'zh-CN'],
])('%s is the supported locale %s', (tag, canonical) => {
  expect(supportedLocale(tag)).toBe(canonical);
});

test.each(['zh-TW', 'zh-HK', 'zh-Hant', 'xx', 'sv', '', 'de_DE', 'e', `en-${'a-bc-'.repeat(9)}x`])(
  '%j is no supported locale',
  (tag) => {
    expect(supportedLocale(tag)).toBeUndefined();
  },
);

test('the language of a locale chooses its texts', () => {
  expect(languageOf('de-CH')).toBe('de');
  expect(languages.map(languageOf)).toEqual(languages);
  expect(() => languageOf('sv')).toThrow('No texts for sv');
});

test.each([
  ['zh-TW, pl;q=0.8, de;q=0.9', 'de'],
  ['de-ch', 'de-CH'],
  ['fr;q=0.5, es;q=0.5', 'fr'],
  ['sv, *, ja;q=0.1', 'ja'],
  ['de;q=0, ja;q=0.2', 'ja'],
  ['de;q=2, en;q=x', undefined],
  ['*', undefined],
  ['', undefined],
])('the header %j prefers %s', (header, locale) => {
  expect(preferredLocale(header)).toBe(locale);
});

test('every language has a name of its own', () => {
  expect(languageNames.map(([language]) => language).sort()).toEqual([...languages].sort());
  expect(new Set(languageNames.map(([, name]) => name)).size).toBe(languages.length);
});

import { languageOf, languages, supportedLocale } from './locale';

test.each([
  ['de-ch', 'de-CH'],
  ['EN', 'en'],
  ['zh-Hans-HK', 'zh-Hans-HK'],
  ['zh-CN', 'zh-CN'],
  ['pt-br', 'pt-BR'],
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

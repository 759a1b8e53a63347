import { languages } from '@billing/presentation/locale';
import { COUNTRIES } from '@billing/kernel/input/countries';
import { countriesFor, countryCode, countryText } from './country-text';
import { english } from './testing/english';

test.each([
  ['CH', 'Switzerland'],
  ['GB', 'United Kingdom'],
  ['XK', 'XK'],
  ['Atlantis', 'Atlantis'],
  ['', ''],
])('the country %j is shown as %j', (code, text) => {
  expect(english(countryText(code))).toBe(text);
});

test.each([
  ['Switzerland', 'CH'],
  ['CH', 'CH'],
  ['Atlantis', 'Atlantis'],
])('the code of %j is %j', (text, code) => {
  expect(countryCode(text)).toBe(code);
});

test('every country is offered once, in the order of the reader', () => {
  const countries = countriesFor({ locale: 'en' });
  expect(new Set(countries.map(([code]) => code))).toEqual(COUNTRIES);
  expect(countries).toHaveLength(COUNTRIES.size);
  expect(countries[0]).toEqual(['AF', 'Afghanistan']);
  expect(countriesFor({ locale: 'de' }).find(([code]) => code === 'EG')).toEqual(['EG', 'Ägypten']);
  expect(countriesFor({ locale: 'de' })[1]?.[0]).toBe('EG');
});

test('a name of a country is understood in every language, and means no other country', () => {
  const codesByName = new Map<string, Set<string>>();
  for (const locale of languages) {
    for (const [code, name] of countriesFor({ locale })) {
      codesByName.set(name, (codesByName.get(name) ?? new Set()).add(code));
      expect([name, countryCode(name)]).toEqual([name, code]);
    }
  }
  expect([...codesByName].filter(([, codes]) => codes.size > 1)).toEqual([]);
});

import { COUNTRIES } from '@billing/kernel/input/countries';
import { countryCode, countryNames, countryText } from './country-text';

test.each([
  ['CH', 'Switzerland'],
  ['GB', 'United Kingdom'],
  ['XK', 'XK'],
  ['Atlantis', 'Atlantis'],
  ['', ''],
])('the country %j is shown as %j', (code, text) => {
  expect(countryText(code)).toBe(text);
});

test.each([
  ['Switzerland', 'CH'],
  ['CH', 'CH'],
  ['Atlantis', 'Atlantis'],
])('the code of %j is %j', (text, code) => {
  expect(countryCode(text)).toBe(code);
});

test('every country is offered once, by its name', () => {
  expect(new Set(countryNames.map(countryCode))).toEqual(COUNTRIES);
  expect(countryNames).toHaveLength(COUNTRIES.size);
  expect(countryNames[0]).toBe('Afghanistan');
});

import { addressText, countryText } from './address';

test.each([
  ['CH', 'Switzerland'],
  ['XX', 'XX'],
  ['ch', 'ch'],
])('the country %s is shown as %s', (code, text) => {
  expect(countryText(code)).toBe(text);
});

test('an address is one line with the name of the country', () => {
  const none = { line1: null, line2: null, city: null, state: null, postalCode: null };
  const address = { ...none, line1: 'Bahnhofstrasse 1', city: 'Zürich', country: 'CH' };
  expect(addressText(address)).toBe('Bahnhofstrasse 1, Zürich, Switzerland');
  expect(addressText(null)).toBe('–');
});

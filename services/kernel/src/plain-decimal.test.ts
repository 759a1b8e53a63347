import { plainDecimal } from './plain-decimal';

test.each([
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['1.5e3', '1500'],
  ['1.2345e2', '123.45'],
  ['1e-7', '0.0000001'],
  ['-2.5e-1', '-0.25'],
  ['12.5e-1', '1.25'],
  ['0e5', '0'],
  ['1e21', '1000000000000000000000'],
  ['0.25', '0.25'],
  ['abc', 'abc'],
  ['', ''],
])('%s is %s in plain notation', (text, plain) => {
  expect(plainDecimal(text)).toBe(plain);
});

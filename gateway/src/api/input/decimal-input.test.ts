import { decimal } from './decimal-input';

describe('a decimal', () => {
  test.each([
    ['0.25', '0.25'],
    [7, '7'],
    [0.5, '0.5'],
    [1e-7, '0.0000001'],
    [1.25e-9, '0.00000000125'],
    [-3e-12, '-0.000000000003'],
    [1e21, '1000000000000000000000'],
  ])('%p is parsed as %s', (input, text) => {
    expect(decimal.parse(input)).toBe(text);
  });
});

import { typedDecimal } from './decimal';

test.each([
  ['29.90', '29.90'],
  [' 29,90 ', '29.90'],
  ['29,9', '29.9'],
  ['0,005', '0.005'],
  ['1,0005', '1.0005'],
  ['29', '29'],
])('the input %j is the decimal %j', (typed, decimal) => {
  expect(typedDecimal(typed)).toBe(decimal);
});

test.each(['1,000', '1,000,000', '1.000,50', '29,', ',5', 'x,1', ''])(
  'the input %j stays as typed',
  (typed) => {
    expect(typedDecimal(typed)).toBe(typed);
  },
);

import { sinceFirst } from './since-first';

const isPositive = (value: number) => value > 0;

test.each([
  [[], []],
  [
    [0, 0],
    [0, 0],
  ],
  [
    [0, 0, 0, 5, 0, 7],
    [5, 0, 7],
  ],
  [
    [5, 0],
    [5, 0],
  ],
])('of %j the chart shows %j', (periods, shown) => {
  expect(sinceFirst(periods, isPositive)).toEqual(shown);
});

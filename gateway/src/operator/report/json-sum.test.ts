import { toJsonSum } from './json-sum';

test.each<[bigint, number | string]>([
  [0n, 0],
  [-2900n, -2900],
  [BigInt(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  [BigInt(Number.MAX_SAFE_INTEGER) + 1n, '9007199254740992'],
])('a sum of %i is converted exactly', (sum, expected) => {
  expect(toJsonSum(sum)).toBe(expected);
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sliceCount, sliceOf, slicesOf } from './slices';

const every = Array.from({ length: sliceCount }, (_, slice) => slice);
const idSets = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 80 });

describe('the slice of an id', () => {
  test.each([
    ['', 35],
    ['a', 10],
    ['0193e5a0-0000-7000-8000-000000000000', 18],
  ])('of %j is %i', (id, slice) => {
    expect(sliceOf(id)).toBe(slice);
  });

  test('is the first byte of its SHA-256 mod 64', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const hex = createHash('sha256').update(id).digest('hex');
        expect(sliceOf(id)).toBe(parseInt(hex.slice(0, 2), 16) % 64);
      }),
    );
  });
});

describe('the slices of a replica', () => {
  test.each([
    [1, [64]],
    [2, [32, 32]],
    [3, [22, 21, 21]],
    [4, [16, 16, 16, 16]],
  ])('are shared evenly by %i replicas', (count, sizes) => {
    const replicas = Array.from({ length: count }, (_, index) => `replica-${String(index)}`);
    expect(replicas.map((one) => slicesOf(one, replicas).length)).toEqual(sizes);
  });

  test('belong to number i mod n of the replicas sorted by id', () => {
    expect(slicesOf('b', ['c', 'b', 'a'])).toEqual(every.filter((slice) => slice % 3 === 1));
  });

  test('belong to exactly one replica each, and differ by at most one in number', () => {
    fc.assert(
      fc.property(idSets, (replicas) => {
        const shares = replicas.map((one) => slicesOf(one, replicas));
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(every);
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('are none for a replica that is not among them', () => {
    expect(slicesOf('d', ['a', 'b'])).toEqual([]);
  });
});

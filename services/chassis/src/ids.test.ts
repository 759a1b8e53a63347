import { isTimed, newId, timedDerivedId } from './ids';

test('an id derived from a seed keeps the time of the seed and is reproducible', () => {
  const seed = newId();
  const id = timedDerivedId(seed, 'customer');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(id.slice(0, 18)).toBe(seed.slice(0, 18));
  expect(timedDerivedId(seed, 'customer')).toBe(id);
  expect(timedDerivedId(seed, 'product')).not.toBe(id);
  expect(isTimed(id)).toBe(true);
});

test('derived ids sort in the order of their seeds', () => {
  const seeds = Array.from({ length: 1_000 }, newId);
  const ids = seeds.map((seed) => timedDerivedId(seed, 'customer'));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

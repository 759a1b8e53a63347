import { isSampled } from './sample';

test('a seed samples about one of 32 names, and another seed samples others', () => {
  const names = Array.from({ length: 32_000 }, (_, index) => String(index));
  const chosen = (seed: string) => new Set(names.filter((name) => isSampled(seed, name)));
  const [first, second] = [chosen('a'), chosen('b')];
  for (const { size } of [first, second]) {
    expect(size).toBeGreaterThan(850);
    expect(size).toBeLessThan(1_150);
  }
  expect([...first].filter((name) => second.has(name)).length).toBeLessThan(100);
});

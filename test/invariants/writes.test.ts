import { gapsIn } from './writes';

const gapsOf = (...numbers: string[]) =>
  gapsIn(
    numbers.map((number) => ({ number })),
    ['WH5C2', 'WH5C3'],
  );

test('each restore begins a series of numbers', () => {
  const before = ['INV-000001', 'ADA-000002'];
  expect(gapsOf(...before, 'ADA-WH5C2-000001', 'ADA-WH5C3-000001', 'ADA-WH5C2-000002')).toEqual([]);
});

test.each([
  [['INV-000001', 'INV-000003'], 'INV-000003 in place of 2'],
  [['INV-000001', 'INV-WH5C2-000002'], 'INV-WH5C2-000002 in place of 1'],
  [['INV-WH5C2-000001', 'ADA-WH5C2-000001'], 'ADA-WH5C2-000001 in place of 2'],
  [['INV-000001', 'INV-WH5C4-000001'], 'INV-WH5C4-000001 in place of 2'],
])('a gap in a series is found: %s', (numbers, gap) => {
  expect(gapsOf(...numbers)).toEqual([gap]);
});

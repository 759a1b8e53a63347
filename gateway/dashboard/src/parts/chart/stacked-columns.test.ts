import { stackedColumns } from './stacked-columns';

test('positive values stack up from zero, negative values stack down', () => {
  const { rectangles, zero, ticks } = stackedColumns([
    [30, 0],
    [10, 20],
    [-20, 0],
  ]);
  expect(Math.round(zero)).toBe(67);
  expect(ticks.map(({ value, y }) => [value, Math.round(y)])).toEqual([
    [-20, 100],
    [0, 67],
    [20, 33],
    [40, 0],
  ]);
  const places = rectangles.map(({ series, column, y, height }) =>
    [series, column, y, height].map((number) => Math.round(number)),
  );
  expect(places).toEqual([
    [0, 0, 17, 50],
    [1, 0, 0, 17],
    [2, 0, 67, 33],
    [1, 1, 33, 33],
  ]);
});

test('columns do not overlap', () => {
  const { rectangles } = stackedColumns([[1, 2, 3]]);
  const ends = rectangles.map(({ x, width }) => [x, x + width]);
  for (const [index, [x = 0]] of ends.entries()) {
    expect(x).toBeGreaterThan(ends[index - 1]?.[1] ?? 0);
  }
});

test.each([[[]], [[[]]], [[[0, 0]]]])('the empty series %j has no rectangles', (series) => {
  expect(stackedColumns(series).rectangles).toEqual([]);
});

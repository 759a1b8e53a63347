import { fittedResult, resultBytesMax } from './result';

const sizeOf = (result: object) => Buffer.byteLength(JSON.stringify(result));

test.each([
  ['no items', []],
  ['a few items', ['a', 'b']],
])('a result with %s has all of them', (_name, items) => {
  const result = fittedResult(items, (data) => ({ data }));
  expect(result.structuredContent).toEqual({ data: items, isShortened: false });
  expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
});

test('a result has as many items as fit', () => {
  const items = Array.from({ length: 100 }, (_one, index) =>
    `${String(index)}"é\u0001`.repeat(100),
  );
  const result = fittedResult(items, (data) => ({ data, count: data.length }));
  const { data, count } = result.structuredContent as { data: string[]; count: number };
  expect(sizeOf(result)).toBeLessThanOrEqual(resultBytesMax);
  expect(data).toEqual(items.slice(0, count));
  const more = fittedResult(items.slice(0, count + 1), (some) => ({ data: some }));
  expect(more.structuredContent['data']).toEqual(data);
});

test('an item that is too large is shortened, and says so', () => {
  const item = {
    id: 'a',
    html: '😀'.repeat(40_000),
    parts: Array.from({ length: 9_000 }, () => 'x'),
  };
  const result = fittedResult([item], (data) => ({ data, nextPage: '2' }));
  expect(sizeOf(result)).toBeLessThanOrEqual(resultBytesMax);
  expect(result.structuredContent).toMatchObject({
    data: [{ id: 'a', html: expect.stringMatching(/^(😀)+\uFFFD?…$/u) }],
    nextPage: '2',
    isShortened: true,
  });
});

test('data of many fields that cannot be shortened is refused', () => {
  const item = Object.fromEntries(
    Array.from({ length: 20_000 }, (_one, index) => [`field${String(index)}`, index]),
  );
  expect(() => fittedResult([item], (data) => ({ data }))).toThrow('too large');
});

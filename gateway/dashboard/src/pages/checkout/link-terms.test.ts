import { boundsText, typedBounds } from './link-terms';

const values = (min?: string, max?: string) => ({
  optional: (name: string) => (name === 'quantity.min' ? min : max),
});

test.each([
  [undefined, undefined, null],
  ['2', '10', { min: 2, max: 10 }],
  [undefined, '10', { min: 1, max: 10 }],
  ['2', undefined, { min: 2, max: undefined }],
  ['two', '10', { min: 'two', max: 10 }],
])('the bounds %p and %p are sent as %j', (min, max, bounds) => {
  expect(typedBounds(values(min, max))).toEqual(bounds);
});

test.each([
  [null, '1'],
  [{ min: 3, max: 3 }, '3'],
  [{ min: 1, max: 1_000 }, '1 to 1,000'],
])('a link with the bounds %j shows %p', (quantity, text) => {
  expect(boundsText({ quantity })).toBe(text);
});

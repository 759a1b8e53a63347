import fc from 'fast-check';
import { brandColors, contrastOf } from './brand-colors';

test.each([
  ['#2447C9', '#FFFFFF', '#2447C9', '#7187DC'],
  ['#FFD400', '#000000', '#806A00', '#FFD400'],
  ['#FF5A5F', '#000000', '#BF4447', '#FF5A5F'],
  ['#767676', '#FFFFFF', '#707070', '#8B8B8B'],
  ['#777777', '#000000', '#6B6B6B', '#858585'],
  ['#000000', '#FFFFFF', '#000000', '#8C8C8C'],
  ['#FFFFFF', '#000000', '#666666', '#FFFFFF'],
  ['#00B3A4', '#000000', '#007D73', '#00B3A4'],
])('the accent %s has text of %s, and links of %s and %s', (accent, ...derived) => {
  const { onAccent, linkOnLight, linkOnDark } = brandColors(accent);
  expect([onAccent, linkOnLight, linkOnDark]).toEqual(derived);
});

test.each([
  ['#2447C9', '#FFFFFF', '7.45'],
  ['#767676', '#FFFFFF', '4.54'],
  ['#777777', '#000000', '4.69'],
  ['#000000', '#FFFFFF', '21.00'],
])('the contrast of %s and %s is %s', (one, other, contrast) => {
  expect(contrastOf(one, other).toFixed(2)).toBe(contrast);
  expect(contrastOf(other, one)).toBe(contrastOf(one, other));
});

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((code) => `#${code.toString(16).padStart(6, '0').toUpperCase()}`);

test('every color gives readable texts and links on each background of a page', () => {
  fc.assert(
    fc.property(color, (accent) => {
      const { onAccent, linkOnLight, linkOnDark } = brandColors(accent);
      const pairs = [
        [onAccent, accent],
        [linkOnLight, '#F4F5F7'],
        [linkOnLight, '#FFFFFF'],
        [linkOnDark, '#1B1E24'],
        [linkOnDark, '#111317'],
      ] as const;
      for (const [text, background] of pairs) {
        expect(contrastOf(text, background)).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: process.env.TEST_TIER === 'nightly' ? 100_000 : 5_000 },
  );
});

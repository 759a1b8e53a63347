import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const sheet = readFileSync(join(__dirname, 'tokens.css'), 'utf8');
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

// Minimum contrasts of WCAG 2.2 AA: 1.4.3 for text, 1.4.11 for borders of fields and for charts.
const textMin = 4.5;
const shapeMin = 3;

const surfaces = ['page', 'card', 'raised', 'hover'];
const pairs: readonly (readonly [string, string, number])[] = [
  ...surfaces.flatMap((surface) =>
    ['ink', 'faint', 'accent'].map((text) => [text, surface, textMin] as const),
  ),
  ...['good', 'bad', 'wait'].flatMap((state) =>
    ['card', 'page', 'hover', `${state}-back`].map((surface) => [state, surface, textMin] as const),
  ),
  ['faint', 'plain-back', textMin],
  ['ink', 'accent-back', textMin],
  ['accent', 'accent-back', textMin],
  ['accent-ink', 'accent', textMin],
  ['card', 'bad', textMin],
  ['live-ink', 'live', textMin],
  ['sandbox-ink', 'sandbox', textMin],
  ['page', 'ink', textMin],
  ['field', 'card', shapeMin],
  ...['series-1', 'series-2', 'series-3', 'series-4'].map(
    (series) => [series, 'card', shapeMin] as const,
  ),
];

describe.each(themes)('in the %s theme', (theme) => {
  test.each(pairs)('%s on %s has a contrast of %d', (text, surface, minimum) => {
    expect(contrast(colorOf(text, theme), colorOf(surface, theme))).toBeGreaterThanOrEqual(minimum);
  });
});

/** Color of a role: `#rrggbb`, for both themes or as `light-dark(#rrggbb, #rrggbb)`. */
function colorOf(role: string, theme: Theme): string {
  const [, value = ''] = new RegExp(`--${role}: ([^;]+);`).exec(sheet) ?? [];
  const colors = value.match(/#[0-9a-f]{6}/g) ?? [];
  const color = colors[theme === 'dark' ? colors.length - 1 : 0];
  if (color === undefined) throw new Error(`--${role} has no color`);
  return color;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

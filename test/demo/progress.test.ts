import { progressLine, progressOn } from './progress';

const at = new Date('2026-03-14T08:50:00Z');

test('the progress line shows the share done and the remaining time', () => {
  const state = { at, daysDone: 50, days: 100, requests: 1240 };
  expect(progressLine(state, 10_000)).toBe(
    `${'█'.repeat(15)}${'░'.repeat(15)}   50 %  2026-03-14  1,240 requests  0:20 left`,
  );
  expect(progressLine({ ...state, daysDone: 100 }, 65_000)).toMatch(/100 % .* done in 1:05$/);
});

test('progress writes over one line on a terminal, and elsewhere a line for each month', () => {
  const shown = (isTTY: boolean): string[] => {
    const texts: string[] = [];
    const screen = { isTTY, write: (text: string) => texts.push(text) };
    const onProgress = progressOn(screen, () => 0);
    for (const daysDone of [1, 2, 3, 40]) {
      const day = new Date(Date.UTC(2026, 0, 29 + daysDone));
      onProgress({ at: day, daysDone, days: 40, requests: daysDone });
    }
    return texts;
  };
  const everywhere = shown(true);
  expect(everywhere).toHaveLength(4);
  for (const text of everywhere) expect(text).toMatch(/^\r/);
  expect(everywhere.filter((text) => text.endsWith('\n'))).toHaveLength(1);
  expect(shown(false).map((text) => /\d{4}-\d\d-\d\d/.exec(text)?.[0])).toEqual([
    '2026-01-30',
    '2026-02-01',
    '2026-03-10',
  ]);
});

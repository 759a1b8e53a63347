import { LiveUse, pauseMsBetweenSteps } from './advance-pace';

const alone = { stepMs: 50, otherAdvances: 0, isLiveInUse: false };

test.each([
  ['alone, at full speed', alone, 0],
  ['with one other advance', { ...alone, otherAdvances: 1 }, 150],
  ['with three others', { ...alone, otherAdvances: 3 }, 450],
  ['while live is in use', { ...alone, isLiveInUse: true }, 300],
  ['while live is in use, with others', { ...alone, isLiveInUse: true, otherAdvances: 3 }, 750],
  ['at most two seconds', { ...alone, otherAdvances: 1, stepMs: 30_000 }, 2_000],
])('an advance pauses between instants: %s', (_case, input, pauseMs) => {
  expect(pauseMsBetweenSteps(input)).toBe(pauseMs);
});

test('the third use within 20 seconds begins a steady use, which ends without another', () => {
  let nowMs = 0;
  const use = new LiveUse(() => nowMs);
  const isSteadyAfterNoteAt = (ms: number) => {
    nowMs = ms;
    use.note();
    return use.isSteady;
  };
  expect([0, 8_000, 16_000].map(isSteadyAfterNoteAt)).toEqual([false, false, true]);
  nowMs = 19_999;
  expect(use.isSteady).toBe(true);
  nowMs = 20_000;
  expect(use.isSteady).toBe(false);
});

test('rare uses are not steady', () => {
  let nowMs = 0;
  const use = new LiveUse(() => nowMs);
  for (nowMs = 0; nowMs < 100_000; nowMs += 10_000) {
    use.note();
    expect(use.isSteady).toBe(false);
  }
});

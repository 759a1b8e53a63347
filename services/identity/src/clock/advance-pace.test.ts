import { LiveUse, pauseMsBetweenSteps } from './advance-pace';

const alone = { stepMs: 50, steps: 100, otherAdvances: 0, isLiveInUse: false };

test.each([
  ['alone, at full speed', alone, 0],
  ['with one other advance', { ...alone, otherAdvances: 1 }, 150],
  ['with three others', { ...alone, otherAdvances: 3 }, 450],
  ['while live is in use', { ...alone, isLiveInUse: true }, 250],
  ['while live is in use, as a short advance', { ...alone, isLiveInUse: true, steps: 99 }, 0],
  ['while live is in use, with others', { ...alone, isLiveInUse: true, otherAdvances: 3 }, 750],
  ['at most two seconds', { ...alone, otherAdvances: 1, stepMs: 30_000 }, 2_000],
])('an advance pauses between instants: %s', (_case, input, pauseMs) => {
  expect(pauseMsBetweenSteps(input)).toBe(pauseMs);
});

test('live is in use for a while after each call', () => {
  let nowMs = 0;
  const use = new LiveUse(() => nowMs);
  expect(use.isInUse).toBe(false);
  use.note();
  nowMs = 14_999;
  expect(use.isInUse).toBe(true);
  nowMs = 15_000;
  expect(use.isInUse).toBe(false);
});

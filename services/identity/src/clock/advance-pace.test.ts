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

/** Three replicas that read the counts of each other every two seconds. */
function threeReplicas() {
  let nowMs = 0;
  const replicas = [0, 1, 2].map(() => new LiveUse(() => nowMs));
  const beat = () => {
    for (const [number, replica] of replicas.entries()) {
      const others = [...replicas.entries()].filter(([other]) => other !== number);
      replica.observe(new Map(others.map(([other, one]) => [String(other), one.own()])));
    }
  };
  return {
    replicas,
    /** Lets time pass until the given instant. */
    until: (ms: number) => {
      for (; nowMs < ms; nowMs += 2_000) beat();
    },
    steady: () => replicas.map((replica) => replica.isSteady),
  };
}

test('a use that is steady is so at each of three replicas, which share it', () => {
  const { replicas, until, steady } = threeReplicas();
  for (let use = 0; use < 9; use += 1) {
    until(use * 4_000);
    replicas[use % 3]!.note();
    if (use < 2) expect(steady()).toEqual([false, false, false]);
  }
  until(34_000);
  expect(steady()).toEqual([true, true, true]);
  until(60_000);
  expect(steady()).toEqual([false, false, false]);
});

test('uses before a replica was first read do not count', () => {
  const use = new LiveUse(() => 0);
  use.observe(new Map([['other', 100]]));
  expect(use.isSteady).toBe(false);
  use.observe(new Map([['other', 102]]));
  expect(use.isSteady).toBe(false);
  use.observe(new Map([['other', 103]]));
  expect(use.isSteady).toBe(true);
});

test('a replica that starts again counts from where it is', () => {
  const use = new LiveUse(() => 0);
  use.observe(new Map([['other', 100]]));
  use.observe(new Map([['other', 2]]));
  use.observe(new Map([['other', 4]]));
  expect(use.isSteady).toBe(false);
});

import { barrierBehind, nextLoweringStep, planClaims } from './redemption-slot';

const slot = (number: number, stamp = 1) => ({ number, stamp });
const limit = (maximum: number | null, version = 1) => ({ maximum, version });

describe('a claim', () => {
  test.each([
    ['adds the first slot', undefined, [], limit(1), { kind: 'ADD', number: 1 }],
    ['adds one behind the last', slot(4), [], limit(5), { kind: 'ADD', number: 5 }],
    ['adds without end', slot(9), [], limit(null), { kind: 'ADD', number: 10 }],
    ['finds all taken', slot(5), [], limit(5), { kind: 'EXHAUSTED' }],
    ['takes a free one first', slot(4), [slot(2)], limit(5), { kind: 'TAKE', number: 2 }],
    ['leaves a free one above', slot(7), [slot(6)], limit(5), { kind: 'EXHAUSTED' }],
    ['meets a closed slot', slot(4, 2), [slot(4, 2)], limit(5), { kind: 'STALE' }],
    ['opens it with the version', slot(4), [slot(4, 2)], limit(5, 2), { kind: 'TAKE', number: 4 }],
    ['adds nothing behind a closed slot', slot(4, 2), [], limit(5), { kind: 'STALE' }],
  ])('%s', (_case, last, free, read, step) => {
    expect(planClaims({ last, free }, [read])).toEqual([step]);
  });

  test('of several each gets another slot, and the last ones none', () => {
    const limits = [limit(5), limit(5), limit(5), limit(5)];
    expect(planClaims({ last: slot(3), free: [slot(1)] }, limits)).toEqual([
      { kind: 'TAKE', number: 1 },
      { kind: 'ADD', number: 4 },
      { kind: 'ADD', number: 5 },
      { kind: 'EXHAUSTED' },
    ]);
  });

  test('that has read less than the one before it adds nothing behind that', () => {
    const steps = planClaims({ last: slot(3), free: [] }, [limit(null, 2), limit(null, 1)]);
    expect(steps).toEqual([{ kind: 'ADD', number: 4 }, { kind: 'STALE' }]);
  });
});

describe('a lowering', () => {
  test.each([
    ['is done where nothing is above', [], 'DONE'],
    ['is done where all above is free and closed', [{ ...slot(6, 2), isFree: true }], 'DONE'],
    ['closes what is free and open', [{ ...slot(6, 1), isFree: true }], 'STAMP'],
    ['is refused by one that is taken', [{ ...slot(6, 2), isFree: false }], 'REFUSE'],
  ])('%s', (_case, above, step) => {
    expect(nextLoweringStep(above, 2)).toBe(step);
  });

  test('puts its barrier behind the last slot, and opens none that a later one has closed', () => {
    expect(barrierBehind(undefined, 2)).toEqual(slot(1, 2));
    expect(barrierBehind(slot(4, 1), 2)).toEqual(slot(5, 2));
    expect(barrierBehind(slot(4, 3), 2)).toEqual(slot(5, 3));
  });
});

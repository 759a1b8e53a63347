import { barrierBehind, nextLoweringStep, planClaims } from './redemption-slot';

const slot = (number: number, stamp = 1) => ({ number, stamp });
const limit = (maximum: number | null, version = 1) => ({ maximum, version });

describe('a claim', () => {
  test.each([
    ['adds the first slot', undefined, [], limit(1), { kind: 'ADD', number: 1 }],
    ['adds a slot behind the last', slot(4), [], limit(5), { kind: 'ADD', number: 5 }],
    ['adds slots without a limit', slot(9), [], limit(null), { kind: 'ADD', number: 10 }],
    ['is exhausted if all slots are taken', slot(5), [], limit(5), { kind: 'EXHAUSTED' }],
    ['takes a free slot first', slot(4), [slot(2)], limit(5), { kind: 'TAKE', number: 2 }],
    ['leaves a free slot above the maximum', slot(7), [slot(6)], limit(5), { kind: 'EXHAUSTED' }],
    ['is stale at a closed slot', slot(4, 2), [slot(4, 2)], limit(5), { kind: 'STALE' }],
    [
      'takes a closed slot with its version',
      slot(4),
      [slot(4, 2)],
      limit(5, 2),
      { kind: 'TAKE', number: 4 },
    ],
    ['adds nothing behind a closed slot', slot(4, 2), [], limit(5), { kind: 'STALE' }],
  ])('%s', (_case, last, free, read, step) => {
    expect(planClaims({ last, free }, [read])).toEqual([step]);
  });

  test('assigns different slots to several redeemers, and none to the last ones', () => {
    const limits = [limit(5), limit(5), limit(5), limit(5)];
    expect(planClaims({ last: slot(3), free: [slot(1)] }, limits)).toEqual([
      { kind: 'TAKE', number: 1 },
      { kind: 'ADD', number: 4 },
      { kind: 'ADD', number: 5 },
      { kind: 'EXHAUSTED' },
    ]);
  });

  test('adds nothing behind a slot that was added with a later version of the discount', () => {
    const steps = planClaims({ last: slot(3), free: [] }, [limit(null, 2), limit(null, 1)]);
    expect(steps).toEqual([{ kind: 'ADD', number: 4 }, { kind: 'STALE' }]);
  });
});

describe('a lowering', () => {
  test.each([
    ['is done without slots above', [], 'DONE'],
    ['is done if all slots above are free and closed', [{ ...slot(6, 2), isFree: true }], 'DONE'],
    ['closes free open slots', [{ ...slot(6, 1), isFree: true }], 'STAMP'],
    ['is refused if a slot above is taken', [{ ...slot(6, 2), isFree: false }], 'REFUSE'],
  ])('%s', (_case, above, step) => {
    expect(nextLoweringStep(above, 2)).toBe(step);
  });

  test('adds its barrier behind the last slot and opens none that a later lowering has closed', () => {
    expect(barrierBehind(undefined, 2)).toEqual(slot(1, 2));
    expect(barrierBehind(slot(4, 1), 2)).toEqual(slot(5, 2));
    expect(barrierBehind(slot(4, 3), 2)).toEqual(slot(5, 3));
  });
});

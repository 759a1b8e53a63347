import fc from 'fast-check';
import { changedUsages, lastSettled, type SettledUsage, type Settlement } from './settlement';

const settled = (quantity: string, credited: string | null = null) => ({
  quantity,
  uses: credited === null ? [] : [{ grantId: 'g', quantity: credited }],
});

function aSettlement(number: number, usages: readonly SettledUsage[]): Settlement {
  return { subscriptionId: 's', key: `period:${String(number)}`, number, usages };
}

const ofCalls = (periodIndex: number, quantity: string): SettledUsage => ({
  periodIndex,
  meterId: 'calls',
  current: settled(quantity),
  previous: null,
});

describe('the last settled quantity', () => {
  const settlements = [
    aSettlement(2, [ofCalls(0, '12'), ofCalls(1, '7')]),
    aSettlement(1, [ofCalls(0, '10')]),
    aSettlement(3, [ofCalls(2, '4')]),
  ];

  test.each<[string, number, string, string | undefined]>([
    ['of a period settled twice is the newer one', 0, 'calls', '12'],
    ['of a period settled once is that one', 1, 'calls', '7'],
    ['of a later period is missing', 3, 'calls', undefined],
    ['of another meter is missing', 0, 'bytes', undefined],
  ])('%s', (_what, periodIndex, meterId, quantity) => {
    expect(lastSettled(settlements)({ periodIndex, meterId })?.quantity).toBe(quantity);
  });
});

describe('a settlement', () => {
  test.each<[string, SettledUsage['current'], SettledUsage['previous'], boolean]>([
    ['includes a period never settled, even without usage', settled('0'), null, true],
    ['includes a changed quantity', settled('3'), settled('2'), true],
    ['includes a change of the covered part', settled('3', '1'), settled('3', '2'), true],
    ['includes a quantity newly covered by credits', settled('3', '1'), settled('3'), true],
  ])('%s', (_what, current, previous, isHeld) => {
    const usage = { periodIndex: 0, meterId: 'calls', current, previous };
    expect(changedUsages([usage])).toEqual(isHeld ? [usage] : []);
  });

  test('omits an unchanged quantity', () => {
    const usage = {
      periodIndex: 0,
      meterId: 'calls',
      current: settled('3', '1'),
      previous: settled('3', '1'),
    };
    expect(changedUsages([usage])).toEqual([]);
  });

  test('bills differences that add up to the latest quantity of each period', () => {
    const round = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 8 }), (rounds) => {
        const settlements: Settlement[] = [];
        const latest = new Map<number, number>();
        const billed = new Map<number, number>();
        rounds.forEach((quantities, index) => {
          const previousOf = lastSettled(settlements);
          const usages = quantities.map((quantity, periodIndex) => ({
            ...ofCalls(periodIndex, String(quantity)),
            previous: previousOf({ periodIndex, meterId: 'calls' }),
          }));
          const held = changedUsages(usages);
          settlements.push(aSettlement(index + 1, held));
          quantities.forEach((quantity, periodIndex) => latest.set(periodIndex, quantity));
          for (const { periodIndex, current, previous } of held) {
            const difference = Number(current.quantity) - Number(previous?.quantity ?? 0);
            billed.set(periodIndex, (billed.get(periodIndex) ?? 0) + difference);
          }
        });
        expect(billed).toEqual(latest);
      }),
      { numRuns: 1000 },
    );
  });
});

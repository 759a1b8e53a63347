import fc from 'fast-check';
import { anyTiers } from '../testing/prices';
import { parseTiers, tierProblems, type TierInput, TIERS_MAX } from './tiers';

const open: TierInput = { upTo: null, unitAmount: '1' };

function upTo(bound: string | null): TierInput {
  return { upTo: bound, unitAmount: '1' };
}

describe('parsing tiers', () => {
  test('returns their canonical form, with 0 for a missing flat amount', () => {
    expect(
      parseTiers([
        { upTo: '10.50', unitAmount: '0.250' },
        { upTo: null, unitAmount: '0', flatAmount: '100.0' },
      ]),
    ).toEqual([
      { upTo: '10.5', unitAmount: '0.25', flatAmount: '0' },
      { upTo: null, unitAmount: '0', flatAmount: '100' },
    ]);
  });

  test('refuses invalid tiers under the given field', () => {
    expect(() => parseTiers([upTo('1')], 'prices')).toThrow(
      expect.objectContaining({
        kind: 'invalid_input',
        fields: { prices: ['0.upTo: The last tier must have no upper bound'] },
      }) as Error,
    );
  });

  test('does not change the tiers that it returned before', () => {
    fc.assert(
      fc.property(anyTiers, (tiers) => {
        expect(parseTiers(tiers)).toEqual(tiers);
      }),
    );
  });
});

describe('tiers are valid', () => {
  test.each<[string, TierInput[]]>([
    ['with one open tier', [open]],
    ['as many as there may be', [...ascending(TIERS_MAX - 1), open]],
    ['with fractions of units', [upTo('0.000000000001'), upTo('0.5'), open]],
    ['up to the largest number of units', [upTo('1000000000000000'), open]],
    [
      'with the largest rates',
      [{ upTo: null, unitAmount: '99999999999', flatAmount: '99999999999' }],
    ],
  ])('%s', (_case, tiers) => {
    expect(tierProblems(tiers)).toEqual([]);
  });
});

describe('tiers are invalid', () => {
  test.each<[string, TierInput[], string[]]>([
    ['without any', [], ['Must have 1 to 50 tiers']],
    ['with too many', [...ascending(TIERS_MAX), open], ['Must have 1 to 50 tiers']],
    ['with a bounded last one', [upTo('5')], ['0.upTo: The last tier must have no upper bound']],
    [
      'with an open one before',
      [open, open],
      ['0.upTo: Only the last tier may have no upper bound'],
    ],
    ['with a bound of 0', [upTo('0'), open], ['0.upTo: Must be above 0']],
    ['with equal bounds', [upTo('1.5'), upTo('1.50'), open], ['1.upTo: Must be above 1.5']],
    ['with falling bounds', [upTo('10'), upTo('9'), open], ['1.upTo: Must be above 10']],
    [
      'with bounds that are no number of units',
      [upTo('ten'), upTo('-1'), upTo('1000000000000001'), open],
      [
        '0.upTo: Invalid decimal',
        '1.upTo: Must be between 0 and 1000000000000000',
        '2.upTo: Must be between 0 and 1000000000000000',
      ],
    ],
    [
      'with negative rates',
      [{ upTo: null, unitAmount: '-1', flatAmount: '-0.5' }],
      [
        '0.unitAmount: Must be between 0 and 99999999999',
        '0.flatAmount: Must be between 0 and 99999999999',
      ],
    ],
    [
      'with rates that are too large or too fine',
      [{ upTo: null, unitAmount: '99999999999.1', flatAmount: '0.0000000000001' }],
      ['0.unitAmount: Must be between 0 and 99999999999', '0.flatAmount: Invalid decimal'],
    ],
  ])('%s', (_case, tiers, problems) => {
    expect(tierProblems(tiers)).toEqual(problems);
  });

  test('with problems under the path of the tiers', () => {
    expect(tierProblems([upTo('5')], '0.tiers')).toEqual([
      '0.tiers.0.upTo: The last tier must have no upper bound',
    ]);
    expect(tierProblems([], '0.tiers')).toEqual(['0.tiers: Must have 1 to 50 tiers']);
  });
});

function ascending(count: number): TierInput[] {
  return Array.from({ length: count }, (_, index) => upTo(String(index + 1)));
}

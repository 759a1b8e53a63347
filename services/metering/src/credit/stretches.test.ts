import { Decimal } from '@billing/kernel/decimal';
import fc from 'fast-check';
import { noUsage } from '../span/read-usage';
import { pricedMeter, type SubscriptionPeriod } from '../usage/subscription-period';
import { type BurnableGrant, burnCredits, type Burning, burnStretches } from './burning';
import { burnWindow, windowOf } from './usage-window';

const hour = (count: number) => new Date(count * 3_600_000);
const units = (text: string | number) => Decimal.parse(String(text));

function grant(id: string, available: string, given: Partial<BurnableGrant> = {}): BurnableGrant {
  return {
    id,
    available: units(available),
    priority: 100,
    source: 'PAID',
    effectiveAt: hour(0),
    expiresAt: null,
    createdAt: hour(0),
    ...given,
  };
}

const stretch = (
  includedUnits: string,
  continues: boolean,
  ...used: (readonly [number, string])[]
) => ({
  includedUnits: units(includedUnits),
  continues,
  usages: used.map(([at, quantity]) => ({ at: hour(at), quantity: units(quantity) })),
});

const summary = ({ uses, overage }: Burning) => [
  uses.map(({ grantId, quantity }) => `${grantId} ${quantity.toString()}`).join(),
  overage.toString(),
];

describe('credits of a period in which the product that prices the meter changes', () => {
  test('stay burnt after an upgrade, whose included units come on top of them', () => {
    const burnt = burnStretches(
      [grant('a', '5000')],
      [stretch('1000', false, [1, '1500']), stretch('10000', false, [2, '9000'], [3, '500'])],
    );
    // 11,000 units: 500 burnt before, 10,000 included, 500 more burnt.
    expect(burnt.map(summary)).toEqual([
      ['a 500', '0'],
      ['a 1000', '0'],
    ]);
  });

  test('cover only usage after a downgrade, not what was included before', () => {
    const burnt = burnStretches(
      [grant('a', '600')],
      [stretch('10000', false, [1, '5000']), stretch('1000', false, [2, '1000'])],
    );
    // 4,000 units of overage by the new price were included by the one before.
    expect(burnt.map(summary)).toEqual([
      ['', '0'],
      ['a 600', '4400'],
    ]);
  });

  test('are not returned by usage that falls after the change', () => {
    const burnt = burnStretches(
      [grant('a', '600')],
      [stretch('100', false, [1, '500']), stretch('200', false, [2, '-450'])],
    );
    expect(burnt.map(summary)).toEqual([
      ['a 400', '0'],
      ['a 400', '0'],
    ]);
  });

  test('burn as in one stretch where the rates stay', () => {
    const used = fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: -20, max: 60 }));
    const grants = [
      grant('a', '30', { expiresAt: hour(4) }),
      grant('b', '40', { effectiveAt: hour(2) }),
    ];
    fc.assert(
      fc.property(fc.array(used), fc.nat({ max: 20 }), fc.nat(), (all, included, at) => {
        const usages = all
          .toSorted(([a], [b]) => a - b)
          .map(([from, quantity]) => [from, String(quantity)] as const);
        const cut = at % (usages.length + 1);
        const [, last] = burnStretches(grants, [
          stretch(String(included), true, ...usages.slice(0, cut)),
          stretch(String(included), false, ...usages.slice(cut)),
        ]);
        const whole = stretch('0', false, ...usages);
        const one = burnCredits(grants, whole.usages, units(included));
        expect(last && summary(last)).toEqual(summary(one));
      }),
    );
  });
});

describe('a window with stretches', () => {
  const window = {
    end: hour(10),
    stretches: [
      { end: hour(4), includedUnits: units(0), continues: false },
      { end: hour(10), includedUnits: units(0), continues: false },
    ],
  };
  const grants = [grant('a', '110')];
  const burnt = (aggregation: 'MAX' | 'LATEST', mark: string, final: string, all = window) =>
    burnWindow(
      { ...noUsage, quantity: units(final), marks: [units(mark)] },
      { aggregation },
      { window: all, grants, includedUnits: units(0) },
    );

  test('burns a value at the end of each stretch', () => {
    const { marks, ...last } = burnt('MAX', '100', '120');
    expect(marks?.map((mark) => [mark.quantity.toString(), ...summary(mark)])).toEqual([
      ['100', 'a 100', '0'],
    ]);
    expect(summary(last)).toEqual(['a 110', '10']);
  });

  test('burns a value at the end alone where the rates stay', () => {
    const [first, second] = window.stretches;
    if (first === undefined || second === undefined) throw new Error('No stretches');
    const same = { ...window, stretches: [{ ...first, continues: true }, second] };
    const { marks, ...last } = burnt('LATEST', '100', '40', same);
    expect(marks?.map((mark) => [mark.quantity.toString(), ...summary(mark)])).toEqual([
      ['100', '', '0'],
    ]);
    expect(summary(last)).toEqual(['a 40', '0']);
  });

  test('is not decided without the usage to its marks', () => {
    expect(() =>
      burnWindow(noUsage, { aggregation: 'MAX' }, { window, grants, includedUnits: units(0) }),
    ).toThrow('not read');
  });
});

test('the window of a meter leaves out the time in which nothing prices it', () => {
  const price = (includedUnits: string) => ({
    type: 'PER_UNIT' as const,
    ...{ unitAmount: '1', tiers: null, includedUnits, packageSize: null },
    ...{ minimumAmount: null, maximumAmount: null },
  });
  const span = (from: number, until: number) => ({ start: hour(from), end: hour(until) });
  const period: Pick<SubscriptionPeriod, 'span' | 'prices' | 'stretches'> = {
    span: span(0, 10),
    prices: new Map(),
    stretches: [
      { span: span(0, 2), prices: new Map([['calls', price('1')]]) },
      { span: span(2, 5), prices: new Map([['files', price('5')]]) },
      { span: span(5, 8), prices: new Map([['calls', price('2')]]) },
      { span: span(8, 10), prices: new Map() },
    ],
  };
  const calls = pricedMeter(period, 'calls');
  expect(calls && windowOf(calls, [span(6, 7)])).toEqual({
    ...span(0, 8),
    taken: [span(6, 7), span(2, 5)],
    stretches: [
      { end: hour(5), includedUnits: units(1), continues: false },
      { end: hour(8), includedUnits: units(2), continues: false },
    ],
  });
  const files = pricedMeter(period, 'files');
  expect(files && windowOf(files, [])).toEqual({ ...span(2, 5), taken: [] });
  expect(pricedMeter(period, 'other')).toBeUndefined();
});

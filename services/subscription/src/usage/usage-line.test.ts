import fc from 'fast-check';
import { day } from '../testing/fixtures';
import {
  isBillable,
  type MeterRate,
  type SettledUsage,
  usageLines,
  type UsageQuantity,
  withinSubtotal,
} from './usage-line';

const january = { start: day('01-01'), end: day('02-01') };
const grantId = 'grant';

function aRate(parts: Partial<MeterRate> = {}): MeterRate {
  return {
    id: 'price',
    meterId: 'meter',
    type: 'PER_UNIT',
    unitAmount: '2.5',
    tiers: null,
    includedUnits: '0',
    packageSize: null,
    minimumAmount: null,
    maximumAmount: null,
    ...parts,
  };
}

function used(quantity: string, credited?: string): UsageQuantity {
  const creditsUsed = credited === undefined ? [] : [{ grantId, quantity: credited }];
  return { quantity, creditsUsed };
}

function settled(current: UsageQuantity, parts: Partial<SettledUsage> = {}): SettledUsage {
  return {
    rate: aRate(),
    meterName: 'Calls',
    period: january,
    current,
    previous: undefined,
    ...parts,
  };
}

describe('the line of a meter', () => {
  test('carries all usage, the included units and the units covered by credits', () => {
    const rate = aRate({ includedUnits: '10' });
    expect(usageLines([settled(used('100', '30'), { rate })])).toEqual([
      {
        description: 'Calls',
        meterId: 'meter',
        priceId: 'price',
        quantity: '100',
        unitAmount: '2.5',
        amount: 150n,
        details: {
          tiers: [],
          includedUnits: '10',
          billedQuantity: '60',
          exactAmount: '150',
          creditsUsed: [{ grantId, quantity: '30' }],
        },
        period: january,
      },
    ]);
  });

  test('has no unit amount with tiers', () => {
    const tiers = [
      { upTo: '10', unitAmount: '1', flatAmount: '0' },
      { upTo: null, unitAmount: '0.5', flatAmount: '3' },
    ];
    const rate = aRate({ type: 'TIERED', unitAmount: null, tiers });
    const [line] = usageLines([settled(used('15'), { rate })]);
    expect([line?.unitAmount, line?.amount]).toEqual([undefined, 16n]);
  });

  test.each<[string, UsageQuantity, Partial<MeterRate>, readonly bigint[]]>([
    ['without usage or minimum there is none', used('0'), {}, []],
    ['a minimum of 0 makes none', used('0'), { minimumAmount: 0n }, []],
    ['the minimum is due without usage', used('0'), { minimumAmount: 500n }, [500n]],
    ['usage within the included units costs nothing', used('5'), { includedUnits: '9' }, [0n]],
    ['corrections below 0 cost nothing', used('-5'), {}, [0n]],
    ['never more than the maximum', used('1000'), { maximumAmount: 7n }, [7n]],
    ['it is rounded once, half up', used('0.2'), {}, [1n]],
  ])('%s', (_name, quantity, rate, amounts) => {
    const lines = usageLines([settled(quantity, { rate: aRate(rate) })]);
    expect(lines.map(({ amount }) => amount)).toEqual(amounts);
  });
});

describe('a late event', () => {
  test('is billed as the difference from the earlier bill', () => {
    const rate = aRate({ includedUnits: '10' });
    const late = settled(used('14'), { rate, previous: used('8') });
    expect(usageLines([late])).toMatchObject([
      {
        quantity: '6',
        amount: 10n,
        details: { billedQuantity: '4', exactAmount: '10', creditsUsed: [] },
        period: january,
      },
    ]);
  });

  test('follows all usage that is billed for the first time', () => {
    const late = settled(used('2'), { meterName: 'Late', previous: used('1') });
    const lines = usageLines([late, settled(used('1')), settled(used('2'))]);
    expect(lines.map(({ description }) => description)).toEqual(['Calls', 'Calls', 'Late']);
  });

  test.each<[string, UsageQuantity, UsageQuantity, readonly (readonly [string, bigint])[]]>([
    ['that changes nothing makes no line', used('4'), used('4'), []],
    ['that takes back lessens the bill', used('2'), used('4'), [['-2', -5n]]],
    ['that credits cover costs nothing', used('9', '5'), used('4'), [['5', 0n]]],
  ])('%s', (_name, current, previous, shown) => {
    const lines = usageLines([settled(current, { previous })]);
    expect(lines.map(({ quantity, amount }) => [quantity, amount])).toEqual(shown);
  });
});

test("a period's lines add up to the cost of all of its usage, regardless of the number of settlements", () => {
  const units = fc.integer({ min: 0, max: 100_000 }).map((n) => (n / 100).toString());
  const rates = fc.constantFrom<Partial<MeterRate>>(
    {},
    { includedUnits: '100' },
    { unitAmount: '0.333333333333', minimumAmount: 20n, maximumAmount: 90n },
    { type: 'PACKAGE', unitAmount: '7', packageSize: '3.5' },
    {
      type: 'VOLUME',
      unitAmount: null,
      tiers: [
        { upTo: '200', unitAmount: '1.1', flatAmount: '0' },
        { upTo: null, unitAmount: '0.9', flatAmount: '1' },
      ],
    },
  );
  fc.assert(
    fc.property(rates, fc.array(units, { minLength: 1, maxLength: 6 }), (parts, quantities) => {
      const rate = aRate(parts);
      const sum = quantities
        .flatMap((quantity, index) => {
          const before = quantities[index - 1];
          const previous = before === undefined ? undefined : used(before);
          return usageLines([settled(used(quantity), { rate, previous })]);
        })
        .reduce((total, { amount }) => total + amount, 0n);
      const [whole] = usageLines([settled(used(quantities.at(-1) ?? '0'), { rate })]);
      expect(sum).toBe(whole?.amount ?? 0n);
    }),
    { numRuns: 1000 },
  );
});

describe('credit for overcharged usage', () => {
  const refund = (quantity: string) => settled(used('0'), { previous: used(quantity) });

  test('is deducted up to the sum, and the rest waits for the next invoice', () => {
    const lines = usageLines([refund('100')]);
    const first = withinSubtotal(lines, { others: 200n, refunds: [] });
    expect(first.lines).toMatchObject([{ quantity: '-100', amount: -200n }]);
    expect(first.refunds).toMatchObject([{ amount: -50n, meterId: 'meter', period: january }]);

    const second = withinSubtotal([], { others: 200n, refunds: first.refunds });
    expect(second.lines).toMatchObject([{ quantity: '0', amount: -50n, period: january }]);
    expect(second.refunds).toEqual([]);
  });

  test('waits completely when nothing is due, and a line without units is left out', () => {
    const { refunds } = withinSubtotal(usageLines([refund('2')]), { others: 0n, refunds: [] });
    expect(withinSubtotal([], { others: 0n, refunds })).toEqual({ lines: [], refunds });
  });

  const inMonth = (month: string, amount: bigint) => ({
    ...aLine(),
    amount,
    period: { start: day(`${month}-01`), end: day(`${month}-28`) },
  });
  const shown = (bill: readonly { readonly period: { start: Date }; readonly amount: bigint }[]) =>
    bill.map(({ period: { start }, amount }) => [start, amount]);

  test('is deducted before credit of a later settlement', () => {
    const first = withinSubtotal([inMonth('01', -500n)], { others: 100n, refunds: [] });
    const second = withinSubtotal([inMonth('02', -200n)], { others: 100n, ...first });
    expect(shown(second.lines)).toEqual([
      [day('02-01'), 0n],
      [day('01-01'), -100n],
    ]);
    expect(shown(second.refunds)).toEqual([
      [day('01-01'), -300n],
      [day('02-01'), -200n],
    ]);
    const third = withinSubtotal([], { others: 400n, ...second });
    expect(shown(third.lines)).toEqual([
      [day('01-01'), -300n],
      [day('02-01'), -100n],
    ]);
  });

  test('of two periods on one bill is deducted for the older one first', () => {
    const lines = [inMonth('02', -200n), inMonth('01', -200n)];
    const { refunds } = withinSubtotal(lines, { others: 300n, refunds: [] });
    expect(shown(refunds)).toEqual([[day('02-01'), -100n]]);
  });

  test('never makes a sum negative, and is neither lost nor doubled', () => {
    const amounts = fc.array(fc.bigInt({ min: -500n, max: 500n }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 300n }), amounts)), (invoices) => {
        let refunds: ReturnType<typeof withinSubtotal>['refunds'] = [];
        let billed = 0n;
        let owed = 0n;
        for (const [others, changes] of invoices) {
          const lines = changes.map((amount) => ({ ...aLine(), amount }));
          const bill = withinSubtotal(lines, { others, refunds });
          const subtotal = sumOf(bill.lines) + others;
          expect(subtotal >= 0n).toBe(true);
          expect(isBillable(bill.lines, others)).toBe(true);
          refunds = bill.refunds;
          billed += subtotal;
          owed += others + changes.reduce((sum, amount) => sum + amount, 0n);
        }
        expect(billed + sumOf(refunds)).toBe(owed);
      }),
      { numRuns: 1000 },
    );
  });

  function aLine() {
    const [line] = usageLines([settled(used('1'))]);
    if (line === undefined) throw new Error('Usage makes a line');
    return line;
  }

  function sumOf(lines: readonly { readonly amount: bigint }[]): bigint {
    return lines.reduce((sum, { amount }) => sum + amount, 0n);
  }
});

test.each<[string, readonly bigint[], bigint, boolean]>([
  ['the largest amount', [99_999_999_999n], 0n, true],
  ['one over it', [100_000_000_000n, -1n], 0n, false],
  ['a sum over it', [99_999_999_999n], 1n, false],
])('an invoice of %s', (_name, amounts, others, isPossible) => {
  expect(
    isBillable(
      amounts.map((amount) => ({ amount })),
      others,
    ),
  ).toBe(isPossible);
});

describe('the lines of a meter whose product changes in the period', () => {
  const [first, second] = [
    { start: day('01-01'), end: day('01-15') },
    { start: day('01-15'), end: day('02-01') },
  ];
  const basic = aRate({ id: 'basic', unitAmount: '2', includedUnits: '1000' });
  const pro = aRate({ id: 'pro', unitAmount: '1', includedUnits: '10000' });
  const ofPro = { item: { itemId: 'item', productId: 'pro' }, rate: pro, period: second };
  const ofBasic = { item: { itemId: 'item', productId: 'basic' }, rate: basic, period: first };
  const changed = { ...ofPro, before: [ofBasic] };
  const marked = (mark: string, whole: string, credits: readonly (string | undefined)[] = []) => ({
    ...used(whole, credits[1]),
    marks: [used(mark, credits[0])],
  });
  const shown = (usage: SettledUsage) =>
    usageLines([usage]).map(({ productId, priceId, quantity, amount, period }) => [
      ...[productId, priceId, quantity, amount, period],
    ]);

  test('are one for each stretch, with its bounds, price and quantity', () => {
    expect(shown(settled(marked('5000', '12000'), changed))).toEqual([
      ['basic', 'basic', '5000', 8000n, first],
      ['pro', 'pro', '7000', 2000n, second],
    ]);
  });

  test('show usage that costs nothing, and are left out without usage', () => {
    expect(shown(settled(marked('900', '1500'), changed))).toEqual([
      ['basic', 'basic', '900', 0n, first],
      ['pro', 'pro', '600', 0n, second],
    ]);
    const down = { ...ofBasic, period: second, before: [{ ...ofPro, period: first }] };
    expect(shown(settled(marked('5000', '6000'), down))).toEqual([
      ['pro', 'pro', '5000', 0n, first],
      ['basic', 'basic', '1000', 2000n, second],
    ]);
    expect(shown(settled(marked('0', '1500'), changed))).toEqual([
      ['pro', 'pro', '1500', 0n, second],
    ]);
  });

  test('name the credits that each stretch has used', () => {
    const lines = usageLines([settled(marked('1500', '12000', ['500', '1200']), changed)]);
    expect(lines.map(({ amount, details }) => [amount, details.creditsUsed])).toEqual([
      [0n, [{ grantId, quantity: '500' }]],
      [800n, [{ grantId, quantity: '700' }]],
    ]);
  });

  test('are differences of their stretches after late events', () => {
    const previous = marked('5000', '12000');
    const late = (current: UsageQuantity) => shown(settled(current, { ...changed, previous }));
    expect(late(marked('5100', '12100'))).toEqual([
      ['basic', 'basic', '100', 200n, first],
      ['pro', 'pro', '0', 100n, second],
    ]);
    expect(late(marked('5000', '12100'))).toEqual([['pro', 'pro', '100', 100n, second]]);
    expect(late(previous)).toEqual([]);
  });
});

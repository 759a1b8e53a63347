import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import { noUsage } from '../span/read-usage';
import { usageOfUnits } from '../testing/window-usage';
import { claimedSpans, type SubscriptionPeriod } from '../usage/subscription-period';
import { addGrant, consumedIn, createGrant, type CreditAccount } from './account';
import {
  afterPeriod,
  isFinal,
  isFullyClaimed,
  monthOf,
  unclaimedMonths,
  unsettledPeriods,
} from './unsettled-usage';

const date = (day: string) => new Date(`2026-${day}T00:00:00Z`);
const now = date('03-20');
const price: UsagePrice = {
  type: 'PER_UNIT',
  unitAmount: '2',
  tiers: null,
  includedUnits: '10',
  packageSize: null,
  minimumAmount: null,
  maximumAmount: null,
};

function period(
  subscriptionId: string,
  index: number | null,
  [start, end]: readonly [string, string],
  meterId = 'm',
): SubscriptionPeriod {
  const span = { start: date(start), end: date(end) };
  const prices = new Map([[meterId, price]]);
  return { subscriptionId, index, span, entitled: true, currency: 'USD', prices };
}

const account: CreditAccount = {
  id: 'a',
  customerId: 'c',
  meterId: 'm',
  grants: [],
  consumptions: [],
  burns: [],
};
const lived = [
  period('first', null, ['02-01', '02-15']),
  period('first', 0, ['02-15', '03-10']),
  period('other', 0, ['02-20', '03-20'], 'another meter'),
  period('second', 4, ['03-05', '04-05']),
];

test('the earliest created subscription claims the usage, also during its trial', () => {
  const first = [
    { start: date('02-01'), end: date('02-15') },
    { start: date('02-15'), end: date('03-10') },
  ];
  expect(claimedSpans('first', lived, 'm')).toEqual([]);
  expect(claimedSpans('second', lived, 'm')).toEqual(first);
  expect(claimedSpans(null, lived, 'm')).toEqual([
    ...first,
    { start: date('03-05'), end: date('04-05') },
  ]);
});

test('a paid period is unsettled until its settlement', () => {
  const keys = (one: CreditAccount) => unsettledPeriods(one, lived, 'm').map(({ key }) => key);
  expect(keys(account)).toEqual(['first:0', 'second:4']);
  const settled = { period: 'first:0', settlement: 'period:0', quantity: '0', uses: [] };
  expect(keys({ ...account, consumptions: [settled] })).toEqual(['second:4']);
});

test('a period burns usage beyond its included units, but not from grants created after its end', () => {
  const granted = (id: string, made: string) =>
    createGrant(
      { amount: '5', effectiveAt: date('01-01') },
      { id, now: date(made), metadataProblems: [] },
    );
  const before = ['02-01', '03-11'].reduce(
    (one, made) => addGrant(one, granted(made, made)),
    account,
  );
  const [first] = unsettledPeriods(account, lived, 'm');
  if (first === undefined) throw new Error('There is a first');
  const usage = usageOfUnits([{ span: first.window, units: 18 }]);
  const after = afterPeriod(before, first, { usage, series: { aggregation: 'SUM' }, now });
  expect([...consumedIn(after.consumptions)]).toEqual([['02-01', Decimal.of(5n)]]);
  const again = afterPeriod(after, first, { usage, series: { aggregation: 'SUM' }, now });
  expect(again.consumptions).toEqual(after.consumptions);
});

test.each<[string, readonly (readonly [string, string])[], boolean]>([
  ['by no subscription', [], false],
  ['by one subscription', [['01-15', '03-15']], true],
  [
    'by several adjacent or overlapping periods, in any order',
    [
      ['02-10', '03-01'],
      ['01-15', '02-05'],
      ['02-01', '02-10'],
    ],
    true,
  ],
  ['except its start', [['02-02', '03-01']], false],
  ['except its end', [['01-15', '02-28']], false],
  [
    'except a gap',
    [
      ['01-15', '02-10'],
      ['02-11', '03-15'],
    ],
    false,
  ],
])('a window claimed %s is recognized as fully claimed or not', (_how, spans, isWhole) => {
  const taken = spans.map(([start, end]) => ({ start: date(start), end: date(end) }));
  expect(isFullyClaimed({ start: date('02-01'), end: date('03-01'), taken })).toBe(isWhole);
});

describe('months of unclaimed usage', () => {
  const granted = (effectiveAt: string, made: string, to?: string) =>
    addGrant(
      account,
      createGrant(
        {
          amount: '5',
          effectiveAt: date(effectiveAt),
          expiresAt: to === undefined ? undefined : date(to),
        },
        { id: 'g', now: date(made), metadataProblems: [] },
      ),
    );
  const monthsOf = (one: CreditAccount, at = now, until?: Date) =>
    unclaimedMonths(one, { taken: [], now: at, ...(until && { until }) }).map(({ key }) => key);
  const january = { start: date('01-01'), end: date('02-01') };

  test('count from the first month in which a grant could burn until now', () => {
    expect(monthsOf(account)).toEqual([]);
    expect(monthsOf(granted('01-20', '01-10'))).toEqual([
      '2026-01:nobody',
      '2026-02:nobody',
      '2026-03:nobody',
    ]);
    expect(monthsOf(granted('01-20', '02-10'))).toEqual(['2026-02:nobody', '2026-03:nobody']);
    expect(monthsOf(granted('02-20', '01-10', '03-01'))).toEqual(['2026-02:nobody']);
    expect(monthsOf(granted('04-01', '01-10'))).toEqual([]);
  });

  test('are final once no event can arrive for them', () => {
    const grants = granted('01-01', '01-01');
    const after = unclaimedMonths(grants, { taken: [], now }).reduce(
      (one, month) =>
        afterPeriod(one, month, {
          usage: noUsage,
          series: { aggregation: 'SUM' },
          now,
          isDecidedFinally: isFinal(month.window, now),
        }),
      grants,
    );
    expect(isFinal(january, date('03-08'))).toBe(false);
    expect(isFinal(january, date('03-09'))).toBe(true);
    expect(monthsOf(after)).toEqual(['2026-02:nobody', '2026-03:nobody']);
    // They have not been read since.
    expect(monthsOf(after, date('06-01'))).toEqual(
      ['02', '03', '04', '05', '06'].map((month) => `2026-${month}:nobody`),
    );
  });

  test('count up to the end of the settled period, and in full if they are over', () => {
    const endsOf = (at: Date, until: Date) =>
      unclaimedMonths(granted('01-01', '01-01'), { taken: [], now: at, until }).map(
        ({ window: { end } }) => end,
      );
    expect(endsOf(date('02-11'), date('02-10'))).toEqual([date('02-01'), date('02-10')]);
    expect(endsOf(now, date('02-10'))).toEqual([date('02-01'), date('03-01')]);
  });

  test('burn nothing if no credits are left', () => {
    const uses = [{ grantId: 'g', quantity: '5' }];
    const used = { period: '2026-01:nobody', settlement: 'x', quantity: '5', uses };
    const grants = { ...granted('01-01', '01-01'), consumptions: [used] };
    expect(monthsOf(grants)).toEqual(['2026-01:nobody']);
  });
});

test.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-01', '2026-03-01'],
  ['2026-12-31T12:00:00Z', '2026-12-01', '2027-01-01'],
  ['2026-03-01T00:00:00Z', '2026-03-01', '2026-04-01'],
])('%s lies in the month from %s to %s', (at, start, end) => {
  expect(monthOf(new Date(at))).toEqual({ start: new Date(start), end: new Date(end) });
});

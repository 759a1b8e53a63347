import { Decimal } from '@billing/kernel/decimal';
import type { UsagePrice } from '@billing/kernel/usage-pricing';
import { addGrant, consumedIn, createGrant, type CreditAccount } from './credit-account';
import { RunningTotal } from './aggregation';
import {
  afterPeriod,
  type SubscriptionPeriod,
  takenFrom,
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

test('usage is taken by the subscription that was created first, in trials too', () => {
  const first = [
    { start: date('02-01'), end: date('02-15') },
    { start: date('02-15'), end: date('03-10') },
  ];
  expect(takenFrom('first', lived, 'm')).toEqual([]);
  expect(takenFrom('second', lived, 'm')).toEqual(first);
  expect(takenFrom(null, lived, 'm')).toEqual([
    ...first,
    { start: date('03-05'), end: date('04-05') },
  ]);
});

test('periods wait for their settlement unless they are free, or it was made', () => {
  const keys = (one: CreditAccount) => unsettledPeriods(one, lived, 'm').map(({ key }) => key);
  expect(keys(account)).toEqual(['first:0', 'second:4']);
  const settled = { period: 'first:0', settlement: 'period:0', quantity: '0', uses: [] };
  expect(keys({ ...account, consumptions: [settled] })).toEqual(['second:4']);
});

test('a period burns what is beyond its included units, but not of grants that were made after it', () => {
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
  const total = new RunningTotal('SUM');
  total.add({ id: 'e', at: date('02-20'), quantity: '18', arrival: 1, uniqueValue: null });
  const usage = { spans: [{ start: first.window.start, total: total.total() }] };
  const after = afterPeriod(before, first, { usage, series: { aggregation: 'SUM' }, now });
  expect([...consumedIn(after.consumptions)]).toEqual([['02-01', Decimal.of(5n)]]);
  const again = afterPeriod(after, first, { usage, series: { aggregation: 'SUM' }, now });
  expect(again.consumptions).toEqual(after.consumptions);
});

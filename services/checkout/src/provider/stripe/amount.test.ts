import type { Currency } from '@billing/kernel/currency';
import { toStripeAmount } from './amount';

test.each<[Currency, bigint, number | undefined, string]>([
  ['USD', 2900n, 2900, 'counts cents as we do'],
  ['JPY', 500n, 500, 'has no smaller unit'],
  ['HUF', 1045n, 1045, 'is charged in hundredths, only payouts are not'],
  ['TWD', 80045n, 80045, 'is charged in hundredths, only payouts are not'],
  ['ISK', 5n, 500, 'is sent with two digits though it has none'],
  ['UGX', 5n, 500, 'is sent with two digits though it has none'],
  ['MGA', 500n, 5, 'is sent without digits though it has two'],
  ['MGA', 550n, undefined, 'has parts that cannot be sent'],
  ['KWD', 5120n, 5120, 'ends with 0'],
  ['KWD', 5124n, undefined, 'has a third digit that no card network takes'],
  ['TND', 1n, undefined, 'has a third digit that no card network takes'],
  ['CLF', 10000n, undefined, 'has four digits, which Stripe does not know'],
  ['USD', 9007199254740991n, 9007199254740991, 'is the largest exact number'],
  ['USD', 9007199254740992n, undefined, 'is more than a number holds exactly'],
  ['UGX', 90071992547410n, undefined, 'is too much once it is sent with two digits'],
])('%s %d is sent as %s: it %s', (currency, amount, expected) => {
  expect(toStripeAmount(amount, currency)).toBe(expected);
});

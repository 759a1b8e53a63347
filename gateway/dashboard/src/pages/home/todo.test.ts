import { sentenceText } from '../../resources/audit-sentence';
import { todosOf, yesterdayText } from './todo';

type Today = Parameters<typeof todosOf>[0];

const card = {
  id: 'm',
  customerId: 'c',
  brand: 'visa',
  last4: '4242',
  customerName: 'Ada',
  expiry: { month: 3, year: 2027 },
};
const nothing = {
  failedPayments: [],
  failingEndpoints: [],
  parkedSubscriptions: { isMore: false, subscriptions: [] },
  expiringCards: { count: 0, isMore: false, cards: [] },
} as unknown as Today;

test('nothing is to do without failures and expiring cards', () => {
  expect(todosOf(nothing)).toEqual([]);
});

test('failed payments come first, then each parked subscription, endpoint and card', () => {
  const todos = todosOf({
    ...nothing,
    failedPayments: [{ currency: 'USD', count: 2, amount: 47_000 }],
    parkedSubscriptions: {
      isMore: false,
      subscriptions: [
        {
          subscriptionId: 's',
          productName: 'Pro',
          customerName: 'Ada',
          reason: 'USAGE_TOO_LARGE',
        },
        { subscriptionId: 't', productName: 'Pro', customerName: null, reason: 'OPEN_INVOICES' },
      ],
    },
    failingEndpoints: [{ id: 'e', url: 'https://example.com', active: false, failingSince: null }],
    expiringCards: { count: 2, isMore: false, cards: [card, { ...card, customerId: 'd' }] },
  });
  expect(todos.map(({ sentence, link }) => [sentenceText(sentence), link?.href])).toEqual([
    ['2 invoices with a failed payment: $470.00 open', '/dunning'],
    [
      'Pro of Ada is not billed: a usage bill is over the largest invoice amount',
      '/subscriptions/s',
    ],
    ['Pro is not renewed: too many of its invoices are open', '/subscriptions/t'],
    ['Webhooks were disabled after failures at https://example.com', '/developers/webhooks/e'],
    ['Card of Ada: Visa 4242, expiry 03/2027', '/customers/c'],
    ['Card of Ada: Visa 4242, expiry 03/2027', '/customers/d'],
  ]);
});

test('entries that the report leaves out are counted', () => {
  const parked = {
    subscriptionId: 's',
    productName: 'Pro',
    customerName: null,
    reason: 'OPEN_INVOICES',
  } as const;
  const todos = todosOf({
    ...nothing,
    parkedSubscriptions: { isMore: true, subscriptions: [parked] },
    expiringCards: { count: 3, isMore: false, cards: [card] },
  });
  const others = todos.filter(({ link }) => link === undefined);
  expect(others.map(({ sentence }) => sentenceText(sentence))).toEqual([
    'More subscriptions are parked. Home lists them once these are resolved',
    '2 more cards expire by the end of next month',
  ]);
});

test.each([
  [{ count: 2, amount: 5_800 }, 'Yesterday $58.00'],
  [{ count: 0, amount: 0 }, 'None yesterday'],
])('a day is not compared with the whole day before: %j is %s', (invoiced, text) => {
  expect(yesterdayText(invoiced, 'USD')).toBe(text);
});

import { sentenceText } from '../../resources/audit-sentence';
import { changeText, todosOf } from './todo';

type Today = Parameters<typeof todosOf>[0];

const card = {
  customerId: 'c',
  brand: 'visa',
  last4: '4242',
  customerName: 'Ada',
  expiry: { month: 3, year: 2027 },
};
const nothing = {
  failedPayments: [],
  failingEndpoints: [],
  parkedSubscriptions: { count: 0, isMore: false, subscriptions: [] },
  expiringCards: { count: 0, isMore: false, cards: [] },
} as unknown as Today;

test('nothing is to do without failures and expiring cards', () => {
  expect(todosOf(nothing)).toEqual([]);
});

test('failed payments come first, then parked subscriptions, endpoints and cards', () => {
  const todos = todosOf({
    ...nothing,
    failedPayments: [{ currency: 'USD', count: 2, amount: 47_000 }],
    parkedSubscriptions: {
      count: 3,
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
    expiringCards: { count: 4, isMore: false, cards: [card, card] },
  });
  expect(todos.map(({ sentence, href }) => [sentenceText(sentence), href])).toEqual([
    ['2 invoices with a failed payment: $470.00 open', '/dunning'],
    [
      'Pro of Ada is not billed: a usage bill is over the largest invoice amount',
      '/subscriptions/s',
    ],
    ['Pro is not renewed: too many of its invoices are open (1 more)', '/subscriptions/t'],
    ['Webhooks were disabled after failures at https://example.com', '/developers/webhooks/e'],
    [
      '4 default cards expire by the end of next month: Ada (Visa 4242, 03/2027), Ada (Visa 4242, 03/2027) and others',
      '/customers/c',
    ],
  ]);
});

test.each([
  [125, 100, '+25% against yesterday'],
  [60, 100, '−40% against yesterday'],
  [0, 0, 'Same as yesterday'],
  [10, 0, 'None yesterday'],
])('%i after %i is %s', (today, yesterday, text) => {
  expect(changeText(today, yesterday)).toBe(text);
});

import { type FeedEvent, happenings, happeningsText, listTitle } from './clock-events';

const from = '2026-01-31T10:00:00.000Z';

function eventOf(position: number, type: string, subjectType = 'subscription'): FeedEvent {
  const timestamp = `2026-02-28T10:00:0${String(position)}.000Z`;
  return { position, subject: { type: subjectType, id: 'one' }, event: { type, timestamp } };
}

const events: readonly FeedEvent[] = [
  eventOf(1, 'subscription.renewed'),
  eventOf(2, 'invoice.paid', 'invoice'),
  eventOf(3, 'subscription.payment_succeeded'),
  eventOf(4, 'subscription.renewed'),
  eventOf(5, 'invoice.payment_failed', 'invoice'),
  eventOf(6, 'checkout.expired', 'checkout'),
  { position: 7, subject: { type: 'invoice', id: 'unreadable' }, event: null },
];

test('what happened during an advance is counted by kind, each payment once', () => {
  expect(happeningsText(happenings(events, from))).toBe(
    '2 renewals, 1 paid invoice, 1 failed payment, 1 expired checkout',
  );
  expect(happeningsText([])).toBe('');
});

test('what happened is linked to its resource', () => {
  expect(happenings(events, from).map(({ key, href }) => [key, href])).toEqual([
    [1, '/subscriptions/one'],
    [2, '/invoices/one'],
    [4, '/subscriptions/one'],
    [5, '/invoices/one'],
    [6, '/checkout'],
  ]);
});

test('events from before the advance do not count', () => {
  expect(happenings(events, '2026-02-28T10:00:04.000Z').map(({ key }) => key)).toEqual([4, 5, 6]);
});

test('a list that is too long is cut', () => {
  expect([listTitle(3, 3), listTitle(4, 3)]).toEqual(['Show each', 'Show the first 3']);
});

import {
  advanceEvents,
  advanceEventsText,
  type FeedEvent,
  type FeedPage,
  listTitle,
  readFeed,
} from './clock-events';

const advance = { from: '2026-01-31T10:00:00.000Z', now: '2026-02-28T10:00:10.000Z' };

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

test('the events of an advance are counted by type, each payment once', () => {
  const counted = advanceEvents(events, advance);
  expect(advanceEventsText(counted, false)).toBe(
    '2 renewals, 1 paid invoice, 1 failed payment, 1 expired checkout',
  );
  expect(advanceEventsText([], false)).toBe('');
});

test('the counts of a part of the events are lower bounds', () => {
  const counted = advanceEvents(events.slice(0, 4), advance);
  expect(advanceEventsText(counted, true)).toBe('2+ renewals, 1+ paid invoices');
});

test('the events of an advance are linked to their resources', () => {
  expect(advanceEvents(events, advance).map(({ key, href }) => [key, href])).toEqual([
    [1, '/subscriptions/one'],
    [2, '/invoices/one'],
    [4, '/subscriptions/one'],
    [5, '/invoices/one'],
    [6, '/checkout'],
  ]);
});

test('events count from after the start of an advance to its end', () => {
  const [from, now] = ['2026-02-28T10:00:02.000Z', '2026-02-28T10:00:05.000Z'];
  expect(advanceEvents(events, { from, now }).map(({ key }) => key)).toEqual([4, 5]);
});

test('a list that is too long is cut', () => {
  expect([listTitle(3, 3), listTitle(4, 3)]).toEqual(['Show each', 'Show the first 3']);
});

describe('the feed', () => {
  const newest = '7';
  /** Pages of two events. The feed has no position after `last` yet. */
  const pagesUntil = (last: number) => async (after: string) => {
    const data = events.filter(
      ({ position }) => position > Number(after) && position <= Math.min(Number(after) + 2, last),
    );
    const page: FeedPage = { data, nextAfter: String(data.at(-1)?.position ?? after), newest };
    return page;
  };
  const positionsOf = async (after: string, pagesMax: number, last = 7) => {
    const part = await readFeed(after, pagesMax, pagesUntil(last));
    return [part.events.map(({ position }) => position), part.hasMore];
  };

  test('is read page by page to its end', async () => {
    expect(await positionsOf('2', 3)).toEqual([[3, 4, 5, 6, 7], false]);
  });

  test('has more if it is longer than the pages that are read', async () => {
    expect(await positionsOf('2', 2)).toEqual([[3, 4, 5, 6], true]);
  });

  test('has more if its next position is being written', async () => {
    expect(await positionsOf('2', 9, 4)).toEqual([[3, 4], true]);
  });
});

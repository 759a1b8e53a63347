import type { CallContext } from '@billing/chassis/call-context';
import type { WebhookEvent } from '@billing/proto/billing/notifier/v1/webhook_feed';
import type { Peers } from '../../peer/peers';
import { newestEvents, shownMax } from './event-routes';

const customer = (position: number) => (position % 2 === 0 ? 'even' : 'odd');
const typeOf = (position: number) => (position % 700 === 0 ? 'invoice.paid' : 'customer.updated');

/** Feed with the positions from `oldest` to `newest`, whose pages have at most `pageMax` events. */
function feed(oldest: number, newest: number, { code = '', pageMax = 300 } = {}) {
  const asked: string[] = [];
  const listWebhookEvents = (request: {
    after?: string | undefined;
    limit: number;
    types: readonly string[];
  }) => {
    const { after, limit, types } = request;
    asked.push(after ?? '');
    const from = after === undefined ? oldest - 1 : Number(after.slice(code.length));
    const events: WebhookEvent[] = [];
    let next = from;
    while (next < newest && next < from + pageMax && events.length < limit) {
      next += 1;
      const data = { customerId: customer(next), customer: { name: `Name ${String(next)}` } };
      if (types.length > 0 && !types.includes(typeOf(next))) continue;
      const body = JSON.stringify({ id: String(next), type: typeOf(next), data });
      const subject = { subjectType: 'customer', subjectId: `subject ${String(next)}` };
      events.push({ position: BigInt(next), ...subject, acceptedAt: new Date(0), body });
    }
    const cursors = { oldest: `${code}${String(oldest)}`, newest: `${code}${String(newest)}` };
    return Promise.resolve({ events, nextAfter: `${code}${String(next)}`, ...cursors });
  };
  const peers = { webhookFeed: { listWebhookEvents } } as unknown as Peers;
  const find = async (filters: { before?: number; types?: string[]; objectId?: string }) => {
    const wanted = { types: [], objectId: '', ...filters };
    const { events, nextBefore } = await newestEvents(wanted, {} as CallContext, peers);
    return [events.map(({ position }) => Number(position)), nextBefore];
  };
  return { find, asked };
}

const down = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((from - to) / step) + 1 }, (_, index) => from - index * step);

test('events are listed from the newest to the oldest, in parts', async () => {
  const { find } = feed(1, 50);
  expect(await find({})).toEqual([down(50, 31), 31]);
  expect(await find({ before: 31 })).toEqual([down(30, 11), 11]);
  expect(await find({ before: 11 })).toEqual([down(10, 1), null]);
  expect(await find({ before: 1 })).toEqual([[], null]);
});

test('a part that just holds the oldest events is the last one', async () => {
  const { find } = feed(31, 30 + shownMax);
  expect(await find({})).toEqual([down(30 + shownMax, 31), null]);
});

test('events of a type are searched in several windows and pages', async () => {
  const { find } = feed(11, 2_500);
  expect(await find({ types: ['invoice.paid'] })).toEqual([[2_100, 1_400, 700], null]);
});

test('a long search ends, and continues where it ended', async () => {
  const { find } = feed(1, 10_000);
  const types = ['invoice.paid'];
  expect(await find({ types })).toEqual([down(9_800, 5_600, 700), 5_001]);
  expect(await find({ types, before: 5_001 })).toEqual([down(4_900, 700, 700), null]);
});

test('events of an object are those of the subject, and those that name it', async () => {
  const { find } = feed(1, 100);
  expect(await find({ objectId: 'even' })).toEqual([down(100, 62, 2), 62]);
  expect(await find({ objectId: 'subject 7' })).toEqual([[7], null]);
});

test('after a restore cursors have its code', async () => {
  const { find, asked } = feed(1, 3, { code: 'ABCDE.' });
  expect(await find({})).toEqual([[3, 2, 1], null]);
  expect(asked).toEqual(['', 'ABCDE.0']);
});

test('an environment without events has an empty list', async () => {
  const none = { events: [], nextAfter: '0', newest: '0' };
  const listWebhookEvents = () => Promise.resolve(none);
  const peers = { webhookFeed: { listWebhookEvents } } as unknown as Peers;
  const wanted = { types: [], objectId: '' };
  expect(await newestEvents(wanted, {} as CallContext, peers)).toEqual({
    events: [],
    nextBefore: null,
  });
});

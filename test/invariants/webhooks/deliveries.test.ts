import type { FeedEntryPicture } from '../picture/picture';
import { examineAll, findingsOf, toTable } from '../report';
import { aDelivery, anEndpoint, whole } from '../testing';

test.each([
  ['that was accepted on its third attempt', { attempts: [null, 500, 200] }],
  [
    'with many attempts after the accepted one',
    { attempts: Array.from({ length: 10 }, () => 500) },
  ],
  ['that waits', { status: 'PENDING', attempts: [] }],
  ['that was abandoned', { status: 'FAILED', attempts: [500] }],
] as const)('a delivery %s is no violation', (_what, { attempts, ...changes }) => {
  const answers = attempts.map((responseStatus) => ({ responseStatus }));
  const delivery = aDelivery(1, { ...changes, attempts: answers });
  const endpoints = [anEndpoint(undefined, [delivery, aDelivery(2)])];
  expect(findingsOf(examineAll({ ...whole, endpoints }))).toEqual([]);
});

test('a number that a restored system uses again has a second delivery', () => {
  const again = { id: 'message-9', sequence: 2, restoreCode: 'WH5C2' };
  const event = { ...again, type: 'subscription.renewed' } as FeedEntryPicture['event'];
  const position = whole.feed!.newest + 1;
  const entry = { position, subject: { type: 'subscription', id: 'subscription-1' }, event };
  const entries = [...whole.feed!.entries, entry];
  const second = aDelivery(2, { id: 'delivery-9', messageId: 'message-9' });
  const endpoints = [anEndpoint(undefined, [aDelivery(1), aDelivery(2), second])];
  const picture = { ...whole, feed: { entries, oldest: 1, newest: position }, endpoints };
  expect(findingsOf(examineAll(picture))).toEqual([]);
});

test('deliveries are checked without a receiver, and the rest of I9 is shown as unseen', () => {
  const table = toTable(examineAll({ ...whole, endpoints: [anEndpoint(undefined)] }));
  expect(table).toMatch(/^I9 +6 +0 /m);
  expect(table).toContain('? I9 unseen: ids and bytes of attempts, and arrival, at 1 endpoints');
  expect(toTable(examineAll(whole))).not.toContain('? I9');
});

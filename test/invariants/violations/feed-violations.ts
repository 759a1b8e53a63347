import type { FeedEntryPicture, Picture } from '../picture/picture';
import { anEndpoint, aWebhook, feed } from '../testing';

const entryAt = (sequence: number): FeedEntryPicture => ({
  position: sequence,
  subject: { type: 'subscription', id: 'subscription-1' },
  event: JSON.parse(aWebhook(sequence).text) as FeedEntryPicture['event'],
});

/** An event that a restored system has announced. */
function afterRestore(sequence: number, id: string): FeedEntryPicture {
  const entry = entryAt(sequence);
  return { ...entry, event: { id, sequence, restoreCode: 'WH5C2' } };
}

/** Violations by the feed that a system must not show. */
export const feedViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I80', 'a missing position', { feed: { ...feed, entries: [entryAt(1), entryAt(3)] } }],
  ['I80', 'an end before the newest position', { feed: { ...feed, newest: feed.newest + 1 } }],
  [
    'I80',
    'a message with two positions',
    { feed: { ...feed, entries: [entryAt(1), { ...entryAt(1), position: 2 }] } },
  ],
  [
    'I80',
    'a subject in another order',
    {
      feed: {
        ...feed,
        entries: [
          { ...entryAt(2), position: 1 },
          { ...entryAt(1), position: 2 },
        ],
      },
    },
  ],
  ['I80', 'a logged event without a position', { feed: { ...feed, entries: [], newest: 0 } }],
  [
    'I80',
    'another body than the webhook',
    { endpoints: [anEndpoint([aWebhook(1, { note: 'changed' }), aWebhook(2)])] },
  ],
  [
    'I62',
    'one message with two contents',
    { endpoints: [anEndpoint([aWebhook(1), aWebhook(1, { note: 'changed' })])] },
  ],
  [
    'I62',
    'two messages of one number and restore',
    { feed: { ...feed, entries: [entryAt(1), afterRestore(1, 'a'), afterRestore(1, 'b')] } },
  ],
];

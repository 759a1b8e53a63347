import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import type { ListWebhookEventsRequest } from '@billing/proto/billing/notifier/v1/webhook_feed';
import type { Peers } from '../peer/peers';
import { webhookEventPages } from './read-webhook-events';
import type { ExportContext } from './resource-pages';

const acceptedAt = (position: number) => new Date(Date.UTC(2026, 0, position));

/** A feed of 5 events that grows by one after each page of 2. */
function growingFeed(code = '') {
  let newest = 5;
  const listWebhookEvents = ({ after }: ListWebhookEventsRequest) => {
    const first = after === undefined ? 1 : Number(after.replace(code, '')) + 1;
    const last = Math.min(first + 1, newest);
    const positions = Array.from({ length: last - first + 1 }, (_one, index) => first + index);
    const answer = {
      events: positions.map((position) => ({
        position: BigInt(position),
        subjectType: 'customer',
        subjectId: `subject-${String(position)}`,
        acceptedAt: acceptedAt(position),
        body: position === 2 ? '' : `{"sequence":${String(position)}}`,
      })),
      nextAfter: `${code}${String(last)}`,
      oldest: `${code}1`,
      newest: `${code}${String(newest)}`,
    };
    newest += 1;
    return Promise.resolve(answer);
  };
  return { webhookFeed: { listWebhookEvents } } as unknown as Peers;
}

async function positionsOf(peers: Peers, range = {}): Promise<unknown[]> {
  const exported: ExportContext = {
    peers,
    context: testContext(),
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const positions: unknown[] = [];
  for await (const rows of webhookEventPages(range, exported)) {
    positions.push(...rows.map(({ position }) => position));
  }
  return positions;
}

describe('an export of the feed', () => {
  test.each(['', 'WH5C2.'])(
    'ends at the newest event at its beginning, with code "%s"',
    async (code) => {
      expect(await positionsOf(growingFeed(code))).toEqual([1, 2, 3, 4, 5]);
    },
  );

  test('has the events that were accepted in a period', async () => {
    const range = { from: acceptedAt(2), to: acceptedAt(4) };
    expect(await positionsOf(growingFeed(), range)).toEqual([2, 3]);
  });
});

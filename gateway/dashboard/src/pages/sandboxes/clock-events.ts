import { countText, pluralText } from '../../parts/text/text';

/** Event of the feed, with its time by the environment's clock. */
export interface FeedEvent {
  readonly position: number;
  readonly subject: { readonly type: string; readonly id: string };
  readonly event: {
    readonly type: string;
    readonly timestamp: string;
  } | null;
}

/** Part of the feed, and its cursors. */
export interface FeedPage {
  readonly data: readonly FeedEvent[];
  /** Cursor of the last event that was examined. */
  readonly nextAfter: string;
  readonly newest: string;
}

/** Events of the feed from a cursor on. */
export interface FeedPart {
  readonly events: readonly FeedEvent[];
  /** True if the feed has more. */
  readonly hasMore: boolean;
}

/** Counted event of a clock advance. */
interface AdvanceEvent {
  readonly key: number;
  readonly at: string;
  readonly text: string;
  /** Path of the resource below the environment. */
  readonly href: string;
}

// One event for each cause: an invoice of a renewal announces the same payment again.
const nouns: Readonly<Record<string, string>> = {
  'subscription.created': 'new subscription',
  'subscription.renewed': 'renewal',
  'subscription.canceled': 'cancellation',
  'invoice.paid': 'paid invoice',
  'invoice.payment_failed': 'failed payment',
  'invoice.overdue': 'overdue invoice',
  'invoice.uncollectible': 'uncollectible invoice',
  'checkout.expired': 'expired checkout',
};

/** Types of the counted events, for the query of the feed. */
export const countedTypes = Object.keys(nouns).join(',');

const pages: Readonly<Record<string, string>> = {
  subscription: '/subscriptions',
  invoice: '/invoices',
  checkout: '/checkout',
};

/** Reads the feed after a cursor to its end, or `pagesMax` pages of it. */
export async function readFeed(
  after: string,
  pagesMax: number,
  readPage: (after: string) => Promise<FeedPage>,
): Promise<FeedPart> {
  const events: FeedEvent[] = [];
  let cursor = after;
  for (let page = 1; page <= pagesMax; page += 1) {
    const { data, nextAfter, newest } = await readPage(cursor);
    events.push(...data);
    if (nextAfter === newest) return { events, hasMore: false };
    // The next position is being written.
    if (nextAfter === cursor) break;
    cursor = nextAfter;
  }
  return { events, hasMore: true };
}

/** Counted events after `from` up to `now` by the environment's clock, in order of the feed. */
export function advanceEvents(
  events: readonly FeedEvent[],
  { from, now }: { readonly from: string; readonly now: string },
): readonly AdvanceEvent[] {
  const [after, until] = [Date.parse(from), Date.parse(now)];
  return events.flatMap(({ position, subject, event }) => {
    if (event === null) return [];
    const time = Date.parse(event.timestamp);
    if (time <= after || time > until) return [];
    const text = nouns[event.type];
    if (text === undefined) return [];
    const [kind = ''] = event.type.split('.');
    const list = pages[kind] ?? '/';
    // Checkout sessions have no page of their own.
    const href = subject.type === kind && kind !== 'checkout' ? `${list}/${subject.id}` : list;
    return [{ key: position, at: event.timestamp, text, href }];
  });
}

/** Counts by type: “5 renewals, 1 failed payment”, or “5+ renewals” of a part; empty for none. */
export function advanceEventsText(events: readonly AdvanceEvent[], hasMore: boolean): string {
  return Object.values(nouns)
    .map((noun) => [noun, events.filter(({ text }) => text === noun).length] as const)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) =>
      hasMore ? `${countText(count, true)} ${noun}s` : pluralText(count, noun),
    )
    .join(', ');
}

/** Heading of the list, which shows at most `max` of the events. */
export function listTitle(count: number, max: number): string {
  return count <= max ? 'Show each' : `Show the first ${countText(max)}`;
}

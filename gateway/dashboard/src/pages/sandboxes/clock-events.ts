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

/** Something that happened during a clock advance. */
interface Happening {
  readonly key: number;
  readonly at: string;
  readonly text: string;
  /** Path of the resource below the environment. */
  readonly href: string;
}

// One kind for each thing that happens: an invoice of a renewal announces the same payment again.
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

const pages: Readonly<Record<string, string>> = {
  subscription: '/subscriptions',
  invoice: '/invoices',
  checkout: '/checkout',
};

/** What happened in [from, …) by the environment's clock, oldest first. */
export function happenings(events: readonly FeedEvent[], from: string): readonly Happening[] {
  return events.flatMap(({ position, subject, event }) => {
    if (event === null || Date.parse(event.timestamp) < Date.parse(from)) return [];
    const text = nouns[event.type];
    if (text === undefined) return [];
    const [kind = ''] = event.type.split('.');
    const list = pages[kind] ?? '/';
    // Checkout sessions have no page of their own.
    const href = subject.type === kind && kind !== 'checkout' ? `${list}/${subject.id}` : list;
    return [{ key: position, at: event.timestamp, text, href }];
  });
}

/** Happenings by their kind: “5 renewals, 1 failed payment”; empty for none. */
export function happeningsText(happened: readonly Happening[]): string {
  return Object.values(nouns)
    .map((noun) => [noun, happened.filter(({ text }) => text === noun).length] as const)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => pluralText(count, noun))
    .join(', ');
}

/** Heading of the list, which shows at most `max` of the happenings. */
export function listTitle(count: number, max: number): string {
  return count <= max ? 'Show each' : `Show the first ${countText(max)}`;
}

import { examineEach, groupBy, type Invariant } from './picture/invariant';
import type { FeedEntryPicture, FeedPicture, InvoicePicture } from './picture/picture';

/** The part of an event of an invoice that tells its place and status. */
interface InvoiceAnnouncement {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
}

const statusAfter: Readonly<Record<string, InvoicePicture['status'] | undefined>> = {
  'invoice.created': 'OPEN',
  'invoice.paid': 'PAID',
  'invoice.voided': 'VOID',
  'invoice.uncollectible': 'UNCOLLECTIBLE',
};

export const invoicesAreAnnounced: Invariant = {
  id: 'I82',
  title: 'each numbered invoice is announced as created first, and last in its status',
  examine: ({ feed, invoices }) => {
    if (feed === undefined) return undefined;
    const announced = announcementsIn(feed);
    const since = [...announced.values()]
      .flat()
      .filter(({ type }) => type === 'invoice.created')
      .map(({ timestamp }) => timestamp)
      .toSorted()[0];
    const known = invoices.filter(({ id, number }) => number !== null && !isBlanked(id, feed));
    return examineEach(known, (invoice) => {
      const events = announced.get(invoice.id) ?? [];
      // An earlier release, which did not announce creations, has numbered invoices from before.
      const isSince = since !== undefined && numberedAt(invoice) >= since;
      return [
        ...(isSince ? creationProblems(invoice, events, feed) : []),
        ...statusProblems(invoice, events),
      ];
    });
  },
};

function announcementsIn({ entries }: FeedPicture): Map<string, InvoiceAnnouncement[]> {
  const ofInvoices = entries.filter(isOfInvoice).map(({ subject, event }) => ({
    ...(event as unknown as InvoiceAnnouncement),
    invoiceId: subject.id,
  }));
  return groupBy(ofInvoices, ({ invoiceId }) => invoiceId);
}

function isOfInvoice({ subject, event }: FeedEntryPicture): boolean {
  return subject.type === 'invoice' && event !== null;
}

/** True if events of the invoice are unreadable, or were blanked. */
function isBlanked(invoiceId: string, { entries }: FeedPicture): boolean {
  return entries.some(({ subject, event }) => subject.id === invoiceId && event === null);
}

function numberedAt({ finalizedAt, createdAt }: InvoicePicture): string {
  return finalizedAt ?? createdAt;
}

function creationProblems(
  { id }: InvoicePicture,
  events: readonly InvoiceAnnouncement[],
  { oldest }: FeedPicture,
): (string | false)[] {
  const isCreation = ({ type }: InvoiceAnnouncement) => type === 'invoice.created';
  const first = events.find(({ sequence }) => sequence === 1);
  return [
    oldest === 1 && !events.some(isCreation) && `invoice ${id} was never announced as created`,
    first !== undefined && !isCreation(first) && `invoice ${id}: ${first.type} is its first event`,
    events.some((event) => isCreation(event) && event.sequence !== 1) &&
      `invoice ${id} was announced as created after other events`,
  ];
}

function statusProblems(
  { id, status }: InvoicePicture,
  events: readonly InvoiceAnnouncement[],
): (string | false)[] {
  const last = events.findLast(({ type }) => statusAfter[type] !== undefined);
  return [
    last !== undefined &&
      statusAfter[last.type] !== status &&
      `invoice ${id} is ${status}, but was last announced by ${last.type}`,
  ];
}

import { type AnnouncedResource, announcedResources } from './picture/announced-resource';
import { examineEach, type Invariant, together } from './picture/invariant';
import type { ExportPicture, FeedPicture } from './picture/picture';

// Fields that change without an event; the deletion of a customer keeps the buyer on its invoices.
const unannouncedFields: Partial<Record<AnnouncedResource, readonly string[]>> = {
  products: ['meterPrices'],
  discounts: ['redemptionCount'],
  invoices: ['buyer', 'lastPaymentError', 'payments'],
  subscriptions: ['latestInvoiceId', 'customer'],
};

export const exportsAreConsistent: Invariant = {
  id: 'I85',
  title: 'an export and the events after its position are the present objects',
  examine: ({ feed, exports }) => {
    if (exports === undefined || feed === undefined) return undefined;
    return together(...exports.map((one) => examineExport(one, feed)));
  },
};

function examineExport({ resource, rows, position, present }: ExportPicture, feed: FeedPicture) {
  const later = feed.entries.filter((entry) => entry.position > position);
  const known = new Map(withEvents(resource, rows, later).map((row) => [row.id, row]));
  const ids = new Set(present.map(({ id }) => id));
  const extra = [...known.keys()].filter((id) => !ids.has(id));
  return together(
    examineEach(present, (row) => {
      const copy = known.get(row.id);
      const name = `${resource} ${row.id}`;
      if (copy === undefined) return [isDraft(row) ? false : `the export lacks ${name}`];
      return [textOf(resource, copy) !== textOf(resource, row) && `the export differs in ${name}`];
    }),
    examineEach(extra, (id) => [`the export has ${resource} ${id}, which is gone`]),
  );
}

/** Body of a webhook about an object. */
interface AnnouncedBody {
  readonly type: string;
  readonly data: Readonly<Record<string, ExportPicture['rows'][number] | null | undefined>>;
}

/** Applies events of the feed to exported rows; a later event wins. */
export function withEvents(
  resource: AnnouncedResource,
  rows: ExportPicture['rows'],
  events: FeedPicture['entries'],
): ExportPicture['rows'] {
  const subjectType = announcedResources[resource];
  const state = new Map(rows.map((row) => [row.id, row]));
  for (const { subject, event } of events) {
    // Only the events of one subject are in order.
    if (subject.type !== subjectType || event === null) continue;
    const { type, data } = event as unknown as AnnouncedBody;
    const changed = data[subjectType];
    if (type === `${subjectType}.deleted`) state.delete(subject.id);
    else if (changed) state.set(changed.id, changed);
  }
  return [...state.values()];
}

/** The object as text, without the fields that change without an event. */
export function textOf(resource: AnnouncedResource, row: object): string {
  const without = unannouncedFields[resource] ?? [];
  const fields = Object.entries(row).filter(([name]) => !without.includes(name));
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isDraft(row: object): boolean {
  return 'status' in row && row.status === 'DRAFT';
}

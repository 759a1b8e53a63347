import { examineEach, groupBy, type Invariant } from './picture/invariant';
import type { FeedPicture } from './picture/picture';

/** An invoice in the form of the API. */
export interface InvoiceDocument {
  readonly id: string;
  readonly finalizedAt: string | null;
  readonly [field: string]: unknown;
}

// What a payer and a tax office keep. The deletion of a customer blanks buyers in events.
const keptFields = [
  'number',
  'finalizedAt',
  'customerId',
  'subscriptionId',
  'billingReason',
  'currency',
  'subtotal',
  'discountAmount',
  'tax',
  'total',
  'seller',
  'taxes',
  'pricesIncludeTax',
  'discounts',
  'periodStart',
  'periodEnd',
  'lineItems',
];

export const documentsStay: Invariant = {
  id: 'I18',
  title: 'an invoice shows the lines, amounts, taxes and seller of its finalization',
  examine: ({ feed, exports }) => {
    const invoices = exports?.find(({ resource }) => resource === 'invoices')?.present;
    if (feed === undefined || invoices === undefined) return undefined;
    const announced = groupBy(announcedInvoices(feed), ({ id }) => id);
    return examineEach(invoices as readonly InvoiceDocument[], (invoice) => {
      const versions = [...(announced.get(invoice.id) ?? []), invoice];
      const [first, ...later] = versions.filter(({ finalizedAt }) => finalizedAt !== null);
      if (first === undefined) return [];
      return changedFields(first, later).map(
        (field) => `invoice ${invoice.id}: ${field} differs from its finalization`,
      );
    });
  },
};

/** Invoices in the bodies of webhooks, of each invoice the oldest first. */
function announcedInvoices({ entries }: FeedPicture): InvoiceDocument[] {
  return entries.flatMap(({ subject, event }) => {
    if (subject.type !== 'invoice' || event === null) return [];
    const { data } = event as unknown as { data: { invoice?: InvoiceDocument | null } };
    return data.invoice ?? [];
  });
}

function changedFields(first: InvoiceDocument, later: readonly InvoiceDocument[]): string[] {
  const textOf = (invoice: InvoiceDocument, field: string) => JSON.stringify(invoice[field]);
  return keptFields.filter((field) =>
    later.some((invoice) => textOf(invoice, field) !== textOf(first, field)),
  );
}

import type { InvoiceDocument } from '../documents';
import type { Picture } from '../picture/picture';
import { feed, invoiceDocument } from '../testing';

function shown(changes: Partial<InvoiceDocument>): Partial<Picture> {
  const present = [{ ...invoiceDocument, ...changes }];
  return { exports: [{ resource: 'invoices', rows: present, position: feed.newest, present }] };
}

/** Changes of finalized invoices that a system must not show. */
export const documentViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I18', 'another line', shown({ lineItems: [{ description: 'Other' }] })],
  ['I18', 'another total', shown({ total: 2 })],
  ['I18', 'another seller', shown({ seller: { legalName: 'Other' } })],
];

import { creditNoteEInvoice, invoiceEInvoice } from '../../e-invoice/downloads';
import { present } from '../../http/answer';
import { EInvoiceQuery } from '../input/e-invoice-query';
import { readQuery } from '../input/input';
import { param } from '../input/request';
import type { Route } from './route';

const description =
  'By EN 16931, as the document was finalised: the same bytes each time. Refused where the document lacks a needed field; the error names it.';
const answer = { status: 200, mediaTypes: ['application/xml', 'application/pdf'] } as const;

/** Downloads of electronic invoices and credit notes. */
export const eInvoiceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/invoices/:id/e-invoice',
    operation: {
      id: 'getEInvoice',
      summary: 'Download an invoice as electronic invoice',
      description,
      query: EInvoiceQuery,
      answer,
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const form = readQuery(EInvoiceQuery, request);
      const { context } = request;
      const { invoice } = await peers.checkout.getInvoice({ id: param(request, 'id') }, context);
      return await invoiceEInvoice(present(invoice), form, { peers, context });
    },
  },
  {
    method: 'GET',
    path: '/credit-notes/:id/e-invoice',
    operation: {
      id: 'getECreditNote',
      summary: 'Download a credit note as electronic credit note',
      description,
      query: EInvoiceQuery,
      answer,
      errors: ['credit_note_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const form = readQuery(EInvoiceQuery, request);
      const { context } = request;
      const id = param(request, 'id');
      const { creditNote } = await peers.creditNote.getCreditNote({ id }, context);
      return await creditNoteEInvoice(present(creditNote), form, { peers, context });
    },
  },
];

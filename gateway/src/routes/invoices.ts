import { z } from 'zod';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { Invoice, InvoiceList } from '../openapi/schemas/invoice';
import { pageShape, readQuery } from '../input';
import { page, pageQuery } from '../list';
import { etag, ok, param, present, type Route } from '../route';

const ListInvoices = z.object({
  ...pageShape,
  subscriptionId: z.string().optional(),
  customerId: z.string().optional(),
});

export const invoiceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/invoices',
    operation: {
      id: 'listInvoices',
      summary: 'List invoices, newest first',
      query: ListInvoices,
      answer: { status: 200, schema: InvoiceList },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListInvoices, request);
      const { invoices, total } = await peers.checkout.listInvoices(
        pageQuery(query),
        request.context,
      );
      return page(invoices, { ...query, total }, toJsonInvoice);
    },
  },
  {
    method: 'GET',
    path: '/invoices/:id',
    operation: {
      id: 'getInvoice',
      summary: 'Get an invoice',
      answer: { status: 200, schema: Invoice, isVersioned: true },
      errors: ['invoice_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.checkout.getInvoice({ id: param(request, 'id') }, request.context);
      const invoice = present(answer.invoice);
      return ok(toJsonInvoice(invoice), etag(invoice.version));
    },
  },
];

import { z } from 'zod';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { Invoice, InvoiceList } from '../openapi/schemas/invoice';
import { pageShape, readQuery } from '../input';
import { page, pageQuery } from '../list';
import { etag, ok, param, present, type Route } from '../route';

const ListInvoices = z.object({
  ...pageShape,
  subscriptionId: z.string().optional(),
  customerId: z.string().optional(),
  status: z.enum(['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE']).optional(),
});

const statuses = {
  DRAFT: InvoiceStatus.INVOICE_STATUS_DRAFT,
  OPEN: InvoiceStatus.INVOICE_STATUS_OPEN,
  PAID: InvoiceStatus.INVOICE_STATUS_PAID,
  VOID: InvoiceStatus.INVOICE_STATUS_VOID,
  UNCOLLECTIBLE: InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
};

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
        { ...pageQuery(query), status: query.status && statuses[query.status] },
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

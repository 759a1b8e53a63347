import { z } from 'zod';
import type { Invoice as ProtoInvoice } from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceJson, toJsonInvoice } from '@billing/proto/json/invoice';
import { invoiceStatuses } from '@billing/proto/values/checkout';
import { listOf } from '../schemas/list';
import {
  irreversibleAction,
  optional,
  lookupShape,
  pageShape,
  readBody,
  readQuery,
} from '../input/input';
import { invoiceDownload } from '../../pdf/invoice-download';
import { lookupOf, page, pageQuery } from '../input/list';
import { type ApiAnswer, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const PayInvoice = irreversibleAction({
  authorizedTransactionId: optional(z.string().min(1).max(255)),
}).meta({ id: 'PayInvoice', examples: [{ authorizedTransactionId: 'txn_4242424242424242' }] });

const VoidInvoice = irreversibleAction({}).meta({ id: 'VoidInvoice', examples: [{}] });

const ListInvoices = z.object({
  ...pageShape,
  ...lookupShape,
  subscriptionId: z.string().optional(),
  customerId: z.string().optional(),
  status: z.enum(['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE']).optional(),
});

export const invoiceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/invoices',
    operation: {
      id: 'listInvoices',
      summary: 'List invoices, newest first',
      query: ListInvoices,
      answer: { status: 200, schema: listOf(InvoiceJson, 'InvoiceList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListInvoices, request);
      const { invoices, total } = await peers.checkout.listInvoices(
        {
          ...pageQuery(query),
          ...lookupOf(query),
          status: query.status && invoiceStatuses.valueOf(query.status),
        },
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
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.checkout.getInvoice({ id: param(request, 'id') }, request.context);
      return answered(answer.invoice);
    },
  },
  {
    method: 'GET',
    path: '/invoices/:id/pdf',
    operation: {
      id: 'getInvoicePdf',
      summary: 'Download an invoice as PDF',
      answer: { status: 200, mediaType: 'application/pdf' },
      errors: ['invoice_not_found'],
    },
    handle: async (request, peers) => {
      const { context } = request;
      const answer = await peers.checkout.getInvoice({ id: param(request, 'id') }, context);
      return await invoiceDownload(present(answer.invoice), { context, peers });
    },
  },
  {
    method: 'POST',
    path: '/invoices/:id/pay',
    operation: {
      id: 'payInvoice',
      summary: 'Pay an open invoice',
      description:
        'Charges the authorized transaction, or else the saved payment method. Returns the invoice even if the payment failed.',
      body: PayInvoice,
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(PayInvoice, request);
      const { authorizedTransactionId: value } = input;
      const answer = await peers.payment.payInvoice(
        {
          id: param(request, 'id'),
          source: value === undefined ? undefined : { $case: 'authorizedTransactionId', value },
        },
        request.context,
      );
      return answered(answer.invoice);
    },
  },
  {
    method: 'POST',
    path: '/invoices/:id/void',
    operation: {
      id: 'voidInvoice',
      summary: 'Void an open invoice',
      description: 'The customer no longer owes the invoice. This cannot be undone.',
      body: VoidInvoice,
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      readBody(VoidInvoice, request);
      const answer = await peers.checkout.voidInvoice(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      return answered(answer.invoice);
    },
  },
];

function answered(invoice: ProtoInvoice | undefined): ApiAnswer {
  const current = present(invoice);
  return ok(toJsonInvoice(current), etag(current.version));
}

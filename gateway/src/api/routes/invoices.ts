import { z } from 'zod';
import type { Invoice as ProtoInvoice } from '@billing/proto/billing/checkout/v1/checkout';
import { recordedPaymentProblems } from '@billing/kernel/input/recorded-payment';
import {
  InvoiceJson,
  PaymentJson,
  toJsonInvoice,
  toJsonPayment,
} from '@billing/proto/json/invoice';
import { invoiceStatuses, paymentMethodTypes } from '@billing/proto/values/checkout';
import { listOf } from '../schemas/list';
import {
  amount,
  irreversibleAction,
  metadata,
  optional,
  lookupShape,
  pageShape,
  readBody,
  readQuery,
  time,
} from '../input/input';
import { invoiceDownload } from '../../pdf/invoice-download';
import { lookupOf, page, pageQuery } from '../input/list';
import { type ApiAnswer, created, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const PayInvoice = irreversibleAction({
  authorizedTransactionId: optional(z.string().min(1).max(255)),
}).meta({ id: 'PayInvoice', examples: [{ authorizedTransactionId: 'txn_4242424242424242' }] });

const RecordPayment = irreversibleAction({
  amount: optional(amount.min(1)).meta({
    description:
      'Defaults to what is outstanding. Beyond that it goes to the balance of the customer.',
  }),
  method: z.enum(['BANK_TRANSFER', 'CASH', 'CHECK', 'OTHER', 'BALANCE']).meta({
    description: 'BALANCE takes the amount from the balance of the customer.',
  }),
  reference: optional(z.string().max(200)),
  receivedAt: optional(time).meta({ description: 'Defaults to now. Not in the future.' }),
  metadata: optional(metadata),
}).meta({
  id: 'RecordPayment',
  examples: [{ amount: 2000, method: 'BANK_TRANSFER', reference: 'Statement 7, line 12' }],
});

const VoidInvoice = irreversibleAction({}).meta({ id: 'VoidInvoice', examples: [{}] });

const MarkUncollectible = irreversibleAction({}).meta({ id: 'MarkUncollectible', examples: [{}] });

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
    path: '/invoices/:id/payments',
    operation: {
      id: 'recordPayment',
      summary: 'Record a payment received elsewhere',
      description:
        'A part payment leaves the status. Automatic retries then charge what is outstanding.',
      body: RecordPayment,
      answer: { status: 201, schema: PaymentJson },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { method, ...input } = readBody(RecordPayment, request, ({ amount: sent, ...fields }) =>
        recordedPaymentProblems({ ...fields, amount: sent === undefined ? sent : BigInt(sent) }),
      );
      const invoiceId = param(request, 'id');
      const { payment } = await peers.payment.recordPayment(
        {
          ...input,
          invoiceId,
          amount: input.amount === undefined ? undefined : BigInt(input.amount),
          method: paymentMethodTypes.valueOf(method),
        },
        request.context,
      );
      return created(`/invoices/${invoiceId}`, toJsonPayment(present(payment)));
    },
  },
  {
    method: 'POST',
    path: '/invoices/:id/void',
    operation: {
      id: 'voidInvoice',
      summary: 'Void an open invoice',
      description:
        'The customer no longer owes the invoice. This cannot be undone. Refused once a payment has succeeded.',
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
  {
    method: 'POST',
    path: '/invoices/:id/mark-uncollectible',
    operation: {
      id: 'markInvoiceUncollectible',
      summary: 'Write off an open invoice',
      description:
        'Ends automatic retries. The subscription goes on, and the invoice can still be paid.',
      body: MarkUncollectible,
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      readBody(MarkUncollectible, request);
      const { invoice } = await peers.checkout.markUncollectible(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      return answered(invoice);
    },
  },
];

function answered(invoice: ProtoInvoice | undefined): ApiAnswer {
  const current = present(invoice);
  return ok(toJsonInvoice(current), etag(current.version));
}

import { z } from 'zod';
import type { Invoice as ProtoInvoice } from '@billing/proto/billing/checkout/v1/checkout';
import { DomainError } from '@billing/kernel/domain-error';
import {
  receivedAtProblems,
  recordedPaymentProblems,
} from '@billing/kernel/input/recorded-payment';
import { subscriptionProblems } from '@billing/kernel/input/subscription';
import { optionalProblems } from '@billing/kernel/input-problems';
import {
  InvoiceJson,
  PaymentJson,
  toJsonInvoice,
  toJsonPayment,
} from '@billing/proto/json/invoice';
import {
  billingReasons,
  invoiceStatuses,
  paymentMethodTypes,
} from '@billing/proto/values/checkout';
import { collectionMethods } from '@billing/proto/values/customer';
import { withTimeDependentProblems } from '../input/field-rules';
import { line, problemsOfInvoice, toAmount, toProtoLine } from '../input/invoice-line';
import { changeable, frozenFields, readPatch, required } from '../input/patch';
import { listOf } from '../schemas/list';
import {
  amount,
  irreversibleAction,
  metadata,
  optional,
  lookupShape,
  readBody,
  readQuery,
  time,
} from '../input/input';
import { invoiceDownload } from '../../pdf/downloads';
import { documentLocale, documentQuery } from '../input/document-locale';
import { lookupQuery, page } from '../input/list';
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

const lines = z.array(line).min(1).max(100);
const netDays = z.int().min(0).max(365).meta({
  description:
    'Days from the opening to the due date of an invoice that is sent. Defaults to that of the customer, else of the seller.',
});
const memo = z.string().max(500);
const purchaseOrder = z.string().max(50);
const collectionMethod = z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']);
const exampleLine = { description: 'Installation', quantity: '2', unitAmount: '12000' };

const CreateInvoice = z
  .object({
    customerId: z.string(),
    currency: optional(z.string()).meta({
      description: 'ISO 4217. Defaults to the currency of the customer.',
    }),
    collectionMethod: optional(collectionMethod).meta({
      description: "Defaults to the customer's.",
    }),
    lines,
    netDays: optional(netDays),
    memo: optional(memo),
    purchaseOrder: optional(purchaseOrder),
    metadata: optional(metadata),
    finalize: optional(z.boolean()).meta({ description: 'True: no draft. Defaults to false.' }),
  })
  .meta({
    id: 'CreateInvoice',
    examples: [{ customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f', lines: [exampleLine] }],
  });

const UpdateInvoice = z
  .object({
    ...frozenFields(InvoiceJson),
    collectionMethod: required(collectionMethod),
    lines: required(lines),
    netDays: changeable(netDays),
    memo: changeable(memo),
    purchaseOrder: changeable(purchaseOrder),
    metadata: changeable(metadata),
  })
  .meta({ id: 'UpdateInvoice', examples: [{ lines: [exampleLine], memo: null }] });

const FinalizeInvoice = irreversibleAction({}).meta({ id: 'FinalizeInvoice', examples: [{}] });

const ListInvoices = z.object({
  ...lookupShape,
  subscriptionId: z.string().optional(),
  customerId: z.string().optional(),
  status: z.enum(['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE']).optional(),
  number: z.string().optional(),
  billingReason: InvoiceJson.shape.billingReason.optional(),
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
          ...lookupQuery(query),
          status: query.status && invoiceStatuses.valueOf(query.status),
          billingReason: query.billingReason && billingReasons.valueOf(query.billingReason),
        },
        request.context,
      );
      return page(invoices, { ...query, total }, toJsonInvoice);
    },
  },
  {
    method: 'POST',
    path: '/invoices',
    operation: {
      id: 'createInvoice',
      summary: 'Create a one-off invoice',
      description: 'Creates a draft, which has no number and can be changed until it is finalized.',
      body: CreateInvoice,
      answer: { status: 201, schema: InvoiceJson, isVersioned: true },
      errors: ['customer_not_found'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateInvoice, request, problemsOfInvoice);
      const { finalize = false, ...fields } = input;
      const { invoice } = await peers.checkout.createOneOffInvoice(
        {
          ...fields,
          lines: input.lines.map(toProtoLine),
          collectionMethod: collectionMethods.valueOf(input.collectionMethod),
          finalize,
        },
        request.context,
      );
      const current = present(invoice);
      return created(`/invoices/${current.id}`, toJsonInvoice(current), etag(current.version));
    },
  },
  {
    method: 'PATCH',
    path: '/invoices/:id',
    operation: {
      id: 'updateInvoice',
      summary: 'Update a draft invoice',
      description: 'The lines are replaced as a whole.',
      body: UpdateInvoice,
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateInvoice, request, problemsOfInvoice);
      const { invoice } = await peers.checkout.updateDraftInvoice(
        {
          id: param(request, 'id'),
          netDays: input.netDays,
          memo: input.memo,
          purchaseOrder: input.purchaseOrder,
          metadata: input.metadata,
          lines: (input.lines ?? []).map(toProtoLine),
          collectionMethod: collectionMethods.valueOf(input.collectionMethod),
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      return answered(invoice);
    },
  },
  {
    method: 'DELETE',
    path: '/invoices/:id',
    operation: {
      id: 'deleteInvoice',
      summary: 'Delete a draft invoice',
      answer: { status: 204 },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      await peers.checkout.deleteDraftInvoice(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/invoices/:id/finalize',
    operation: {
      id: 'finalizeInvoice',
      summary: 'Finalize a draft invoice',
      description:
        'Numbers the invoice and starts its collection. Returns the invoice even if the first payment failed.',
      body: FinalizeInvoice,
      answer: { status: 200, schema: InvoiceJson, isVersioned: true },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      readBody(FinalizeInvoice, request);
      const { invoice } = await peers.checkout.finalizeInvoice(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      return answered(invoice);
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
      query: documentQuery,
      answer: { status: 200, mediaTypes: ['application/pdf'] },
      errors: ['invoice_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { context } = request;
      const locale = documentLocale(request);
      const answer = await peers.checkout.getInvoice({ id: param(request, 'id') }, context);
      if (answer.invoice?.number === undefined) throw notFinalized();
      return await invoiceDownload(present(answer.invoice), { context, peers, locale });
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
      const { authorizedTransactionId: value } = readBody(PayInvoice, request, (fields) =>
        subscriptionProblems(fields, request.context),
      );
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
      const { method, ...input } = readBody(RecordPayment, request, (fields, body) => {
        const amount = toAmount(fields.amount);
        const lasting = recordedPaymentProblems({ ...fields, amount });
        const receivedAt = optionalProblems(fields.receivedAt, (time) =>
          receivedAtProblems(time, request.context.now),
        );
        return withTimeDependentProblems(lasting, { receivedAt }, body);
      });
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
        'Ends automatic retries. The subscription continues, and the invoice can still be paid.',
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

function notFinalized(): DomainError {
  const message = 'Invoice is not finalised';
  return new DomainError('failed_precondition', 'INVOICE_NOT_FINALIZED', message);
}

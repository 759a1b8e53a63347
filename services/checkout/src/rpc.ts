import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId, isId } from '@billing/chassis/ids';
import { rpcService } from '@billing/chassis/rpc';
import { parseCurrency } from '@billing/kernel/currency';
import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
  type CreateInvoiceRequest,
  type LineItem as ProtoLineItem,
  type ListInvoicesRequest,
} from '@billing/proto/billing/checkout/v1/checkout';
import { isCollecting } from './collection';
import type { CollectionWorker } from './collection-worker';
import { checkHolder, draft, type InvoiceRecord, type LineItem, type NewInvoice } from './invoice';
import {
  fromProtoBillingReason,
  fromProtoCollectionMethod,
  fromProtoInvoiceStatus,
  toProtoInvoice,
} from './invoice-rpc';
import { shownInvoices } from './store';

const authorizedTransactionIdLengthMax = 255;
const perPageMax = 100;
// What is left of the caller's time for the answer to travel.
const answerMarginMs = 500;

/** What the calls are answered from. */
export interface CheckoutRpcParts {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly worker: CollectionWorker;
}

/** The service's RPCs. */
export function checkoutRpc({ invoices, worker }: CheckoutRpcParts) {
  return rpcService<CheckoutServiceServer>(CheckoutServiceService, {
    createInvoice: async (request, context) => {
      const input = fromProtoNewInvoice(request, context);
      const { stored } = await invoices.within(context).insert(draft(input));
      checkHolder(stored.state, input);
      const opened = await untilOpened(stored, context, invoices);
      return { invoice: toProtoInvoice(opened), collecting: isCollecting(opened.state) };
    },
    getInvoice: async ({ id }, context) => {
      const stored = await invoices.within(context).get(id);
      if (stored.state.isTombstone) throw notFound('Invoice');
      return { invoice: toProtoInvoice(stored) };
    },
    listInvoices: async (request, context) => {
      const { page, perPage, ...filter } = fromProtoListInvoices(request);
      if (!matchesAnything(filter)) return { invoices: [], total: 0 };
      const found = await invoices
        .within(context)
        .list({ filter: shownInvoices(filter), page, perPage });
      return { invoices: found.data.map(toProtoInvoice), total: found.total };
    },
    voidDerivedInvoice: async (request, context) => {
      const holder = {
        id: readId(request.invoiceId, 'invoiceId'),
        subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
        customerId: readId(request.customerId, 'customerId'),
        currency: parseCurrency(request.currency),
      };
      const stored = await worker.voidDerived(holder, context);
      return { invoice: stored.state.isTombstone ? undefined : toProtoInvoice(stored) };
    },
    voidInvoice: async ({ id, expectedVersion }, context) => {
      const version = expectedVersion === undefined ? undefined : Number(expectedVersion);
      return { invoice: toProtoInvoice(await worker.voidForCaller(id, version, context)) };
    },
    endCollection: async ({ invoiceId, writeOff }, context) => {
      const stored = await worker.endCollection(invoiceId, { writeOff }, context);
      return { invoice: toProtoInvoice(stored) };
    },
    resolveAuthorization: async (request, context) => {
      readId(request.subscriptionId, 'subscriptionId');
      const authorization = {
        customerId: readId(request.customerId, 'customerId'),
        authorizedTransactionId: readAuthorization(request.authorizedTransactionId),
      };
      return { paymentMethodId: await worker.keepMethod(authorization, context) };
    },
  });
}

// The command that the draft carries opens it, here or in another replica; the caller repeats what takes longer than it can wait.
async function untilOpened(
  stored: Stored<InvoiceRecord>,
  context: CallContext,
  invoices: AggregateCollection<InvoiceRecord>,
): Promise<Stored<InvoiceRecord>> {
  const isReached = ({ state }: Stored<InvoiceRecord>) => state.status !== 'DRAFT';
  if (isReached(stored)) return stored;
  const until = new Date(context.deadline.getTime() - answerMarginMs);
  const awaited = await invoices.waitFor(stored.state.id, context, { isReached, until });
  if (isReached(awaited)) return awaited;
  throw new DomainError('unavailable', 'INVOICE_NOT_OPENED', 'Service unavailable');
}

function fromProtoNewInvoice(request: CreateInvoiceRequest, context: CallContext): NewInvoice {
  const { authorizedTransactionId } = request;
  const invoiceId = readId(request.invoiceId, 'invoiceId');
  return {
    id: invoiceId,
    subscriptionId: readId(request.subscriptionId, 'subscriptionId'),
    customerId: readId(request.customerId, 'customerId'),
    billingReason: required(fromProtoBillingReason(request.billingReason), 'billingReason'),
    collectionMethod: required(
      fromProtoCollectionMethod(request.collectionMethod),
      'collectionMethod',
    ),
    currency: parseCurrency(request.currency),
    periodStart: required(request.periodStart, 'periodStart'),
    periodEnd: required(request.periodEnd, 'periodEnd'),
    lineItems: request.lineItems.map((line, index) => ({
      id: derivedId(context.tenant.environmentId, 'lineItem', invoiceId, index),
      ...fromProtoLineItem(line),
    })),
    authorizedTransactionId:
      authorizedTransactionId === undefined
        ? undefined
        : readAuthorization(authorizedTransactionId),
  };
}

function fromProtoLineItem(line: ProtoLineItem): Omit<LineItem, 'id'> {
  return {
    description: line.description,
    quantity: line.quantity,
    unitAmount: line.unitAmount,
    amount: line.amount,
    priceId: line.priceId,
    periodStart: required(line.periodStart, 'lineItems'),
    periodEnd: required(line.periodEnd, 'lineItems'),
    details: line.details,
    metadata: line.metadata ?? {},
  };
}

function fromProtoListInvoices({ page, perPage, status, ...filter }: ListInvoicesRequest) {
  if (page < 1) throw invalidInput({ page: ['Must be at least 1'] });
  if (perPage < 1 || perPage > perPageMax) {
    throw invalidInput({ perPage: [`Must be between 1 and ${String(perPageMax)}`] });
  }
  return {
    page,
    perPage,
    ...filter,
    status: status === undefined ? undefined : fromProtoInvoiceStatus(status),
  };
}

function matchesAnything({
  subscriptionId,
  customerId,
}: Pick<ListInvoicesRequest, 'subscriptionId' | 'customerId'>): boolean {
  return [subscriptionId, customerId].every((id) => id === undefined || isId(id));
}

function readId(id: string, field: string): string {
  if (!isId(id)) throw invalidInput({ [field]: ['Invalid uuid'] });
  return id;
}

function readAuthorization(authorizedTransactionId: string): string {
  const { length } = authorizedTransactionId;
  if (length < 1 || length > authorizedTransactionIdLengthMax) {
    const message = `Must have 1 to ${String(authorizedTransactionIdLengthMax)} characters`;
    throw invalidInput({ authorizedTransactionId: [message] });
  }
  return authorizedTransactionId;
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw invalidInput({ [field]: ['Required'] });
  return value;
}

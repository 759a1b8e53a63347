import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import {
  type GetObligationsResponse,
  type ObligationServiceServer,
  ObligationServiceService,
} from '@billing/proto/billing/checkout/v1/obligation';
import type { BalanceStore } from '../balance/balance-store';
import { obligationCallers } from '../peer/callers';
import type { InvoiceRecord } from '../invoice/invoice';
import type { SessionRecord } from '../sales/session';

export interface ObligationDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly balances: Pick<BalanceStore, 'positiveOf'>;
}

type ListFilter = Readonly<Record<string, unknown>>;

const openPhases = ['CREATING', 'READY', 'PAYING'];
const openStatuses = ['DRAFT', 'OPEN'];
const onePage = { page: 1, perPage: 1 };

/** The call that tells what is unfinished with a customer. */
export function obligationRpc(dependencies: ObligationDependencies) {
  return rpcService<ObligationServiceServer>(
    ObligationServiceService,
    {
      getObligations: ({ customerId }, context) => obligationsOf(customerId, context, dependencies),
    },
    { callers: obligationCallers },
  );
}

/**
 * Unfinished business with a customer. Their invoices are asked, which decide on refunds, disputes
 * and what goes to the balance: rows and entries follow by commands.
 */
export async function obligationsOf(
  customerId: string,
  context: CallContext,
  { sessions, invoices, balances }: ObligationDependencies,
): Promise<GetObligationsResponse> {
  const own = { isTombstone: false, customerId };
  const hasInvoice = async (filter: ListFilter) =>
    (await totalOf(invoices, { ...own, ...filter }, context)) > 0;
  const [openSessions, hasOpenInvoice, hasPendingRefund, hasOpenDispute] = await Promise.all([
    totalOf(sessions, { customerId, phase: { $in: openPhases } }, context),
    hasInvoice({ status: { $in: openStatuses } }),
    hasInvoice({ 'refunds.status': 'PENDING' }),
    hasInvoice({ 'disputes.status': 'OPEN' }),
  ]);
  // In this order: what is no longer pending by the first read is in the balance by the second.
  const { environmentId } = context.tenant;
  const isPosting = await invoices.hasPending({ environmentId, ...own, $or: postings });
  const owed = await balances.positiveOf(customerId, context);
  return {
    hasOpenSession: openSessions > 0,
    hasOpenInvoice,
    hasPendingRefundOrDispute: hasPendingRefund || hasOpenDispute,
    hasBalance: isPosting || owed.length > 0,
  };
}

// A credit note is numbered after its entry.
const postings = [
  { 'outbox.type': { $in: ['creditOverpayment', 'creditRefund', 'returnBalance'] } },
  { creditNotes: { $elemMatch: { number: null, toBalance: { $gt: 0 } } } },
];

async function totalOf<S extends { readonly id: string }>(
  records: AggregateCollection<S>,
  filter: ListFilter,
  context: CallContext,
): Promise<number> {
  return (await records.within(context).list({ filter, ...onePage })).total;
}

import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import {
  type ObligationServiceServer,
  ObligationServiceService,
} from '@billing/proto/billing/checkout/v1/obligation';
import type { BalanceStore } from '../balance/balance-store';
import { obligationCallers } from '../peer/callers';
import type { InvoiceRecord } from '../invoice/invoice';
import type { CreditRowStore } from '../refund/credit-row-store';
import type { SessionRecord } from '../sales/session';

export interface ObligationDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly rows: Pick<CreditRowStore, 'list'>;
  readonly balances: Pick<BalanceStore, 'positiveOf'>;
}

const openPhases = ['CREATING', 'READY', 'PAYING'];
const openStatuses = ['DRAFT', 'OPEN'];
const onePage = { page: 1, perPage: 1 };

/** The call that tells what is unfinished with a customer. */
export function obligationRpc(dependencies: ObligationDependencies) {
  const { sessions, invoices, rows, balances } = dependencies;
  return rpcService<ObligationServiceServer>(
    ObligationServiceService,
    {
      getObligations: async ({ customerId }, context) => {
        const open = { isTombstone: false, customerId, status: { $in: openStatuses } };
        const [openSessions, openInvoices, refunds, disputes, owed] = await Promise.all([
          totalOf(sessions, { customerId, phase: { $in: openPhases } }, context),
          totalOf(invoices, open, context),
          rows.list('refunds', { customerId, status: 'PENDING', ...onePage }, context),
          rows.list('disputes', { customerId, status: 'OPEN', ...onePage }, context),
          balances.positiveOf(customerId, context),
        ]);
        return {
          hasOpenSession: openSessions > 0,
          hasOpenInvoice: openInvoices > 0,
          hasPendingRefundOrDispute: refunds.total + disputes.total > 0,
          hasBalance: owed.length > 0,
        };
      },
    },
    { callers: obligationCallers },
  );
}

async function totalOf<S extends { readonly id: string }>(
  records: AggregateCollection<S>,
  filter: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<number> {
  return (await records.within(context).list({ filter, ...onePage })).total;
}

import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { refundSettlementProblems } from '@billing/kernel/input/credit-note';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type RefundServiceServer,
  RefundServiceService,
} from '@billing/proto/billing/checkout/v1/refund';
import { disputeStatuses, refundSettlements, refundStatuses } from '@billing/proto/values/checkout';
import { refundCallers } from '../peer/callers';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import type { CreditKind, CreditReference, CreditRowStore } from './credit-row-store';
import { inOrder, type PartsOf, toProtoDispute, toProtoRefund } from './refund-message';
import type { RefundWorker } from './refund-worker';

export interface RefundRpcDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly rows: CreditRowStore;
  readonly refunds: RefundWorker;
}

/** RPCs of refunds and disputes. */
export function refundRpc({ invoices, rows, refunds }: RefundRpcDependencies) {
  const read = partReader({ invoices, rows });
  return rpcService<RefundServiceServer>(
    RefundServiceService,
    {
      listRefunds: async ({ customerId, invoiceId, paymentId, status, ...request }, context) => {
        const name = status === undefined ? undefined : refundStatuses.nameOf(status);
        const filter = { customerId, invoiceId, paymentId, status: name };
        const wanted = { ...filter, ...readPage(request) };
        const { data, total } = await rows.list('refunds', wanted, context);
        return { refunds: await read.all(data, refundsOf, context), total };
      },
      getRefund: async ({ id }, context) => ({
        refund: await read.one({ kind: 'refunds', noun: 'Refund' }, id, {
          partsOf: refundsOf,
          context,
        }),
      }),
      settleRefund: async ({ id: refundId, to, reference }, context) => {
        refuseProblems(refundSettlementProblems({ reference }));
        const name = refundSettlements.knownName(to);
        if (name === undefined) throw invalidInput({ to: ['Required'] });
        const { resourceSeed: callId } = context;
        const settlement = { refundId, to: name, reference, callId };
        const { state } = await refunds.settle(settlement, context);
        const all = state.isTombstone ? [] : refundsOf({ state });
        return { refund: all.find(({ id }) => id === refundId) };
      },
      listDisputes: async ({ customerId, invoiceId, status, ...request }, context) => {
        const name = status === undefined ? undefined : disputeStatuses.nameOf(status);
        const filter = { customerId, invoiceId, status: name };
        const wanted = { ...filter, ...readPage(request) };
        const { data, total } = await rows.list('disputes', wanted, context);
        return { disputes: await read.all(data, disputesOf, context), total };
      },
      getDispute: async ({ id }, context) => ({
        dispute: await read.one({ kind: 'disputes', noun: 'Dispute' }, id, {
          partsOf: disputesOf,
          context,
        }),
      }),
    },
    { callers: refundCallers },
  );
}

/** Reads credit notes, refunds and disputes of invoices by the rows of their lists. */
export function partReader({ invoices, rows }: Pick<RefundRpcDependencies, 'invoices' | 'rows'>) {
  return {
    /** The parts of the references, in their order. */
    all: async <T extends { readonly id: string }>(
      references: readonly CreditReference[],
      partsOf: PartsOf<T>,
      context: CallContext,
    ): Promise<T[]> => {
      const ids = new Set(references.map(({ invoiceId }) => invoiceId));
      return inOrder(references, await invoices.within(context).findAll(ids), partsOf);
    },
    /** Throws not_found for an unknown or malformed id. */
    one: async <T extends { readonly id: string }>(
      { kind, noun }: { readonly kind: CreditKind; readonly noun: string },
      id: string,
      {
        partsOf,
        context,
      }: {
        readonly partsOf: PartsOf<T>;
        readonly context: CallContext;
      },
    ): Promise<T> => {
      const invoiceId = await rows.invoiceOf(kind, id, context);
      const stored =
        invoiceId === undefined ? undefined : await invoices.within(context).find(invoiceId);
      if (stored === undefined || stored.state.isTombstone) throw notFound(noun);
      const parts = partsOf({ ...stored, state: stored.state }, new Set([id]));
      const found = parts.find((part) => part.id === id);
      if (found === undefined) throw notFound(noun);
      return found;
    },
  };
}

/** Refunds of an invoice. */
export function refundsOf({ state }: Pick<Stored<Invoice>, 'state'>) {
  return state.refunds.map((refund) => toProtoRefund(refund, state));
}

/** Disputes of an invoice. */
export function disputesOf({ state }: Pick<Stored<Invoice>, 'state'>) {
  return state.disputes.map((dispute) => toProtoDispute(dispute, state));
}

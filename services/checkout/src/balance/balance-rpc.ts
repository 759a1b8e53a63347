import { newResourceId } from '@billing/chassis/call-context';
import { checkMetadata, readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { parseCurrency } from '@billing/kernel/currency';
import { notFound } from '@billing/kernel/domain-error';
import { balanceEntryProblems } from '@billing/kernel/input/balance-entry';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type Balance as ProtoBalance,
  type BalanceEntry as ProtoBalanceEntry,
  type BalanceServiceServer,
  BalanceServiceService,
  type CreateBalanceEntryRequest,
} from '@billing/proto/billing/checkout/v1/balance';
import { balanceEntryKinds } from '@billing/proto/values/checkout';
import { adjustmentOf, type Balance, type BalanceEntry } from './balance';
import type { BalanceStore } from './balance-store';
import type { BalanceEntryStore } from './entry-store';
import { balanceCallers } from '../peer/callers';
import { fetchCustomer } from '../peer/customer';
import type { Peers } from '../peer/peers';

export interface BalanceRpcDependencies {
  readonly balances: BalanceStore;
  readonly entries: BalanceEntryStore;
  readonly peers: Peers;
}

/** RPCs of balances. */
export function balanceRpc({ balances, entries, peers }: BalanceRpcDependencies) {
  return rpcService<BalanceServiceServer>(
    BalanceServiceService,
    {
      listBalances: async ({ customerId, currency, ...request }, context) => {
        const wanted = { customerId, currency, ...readPage(request) };
        const { data, total } = await balances.list(wanted, context);
        return { balances: data.map(toProtoBalance), total };
      },
      createBalanceEntry: async (request, context) => {
        checkRequest(request);
        const customer = await fetchCustomer(peers, request.customerId, context);
        const owner = {
          customerId: customer.id,
          currency: parseCurrency(request.currency ?? customer.currency),
        };
        const { description, metadata = {} } = request;
        const id = newResourceId(context, 'balanceEntry');
        const entry = await balances.post(
          owner,
          { id, kind: 'ADJUSTMENT', description, metadata },
          { amountOf: adjustmentOf(request.amount), context },
        );
        return { entry: toProtoEntry(entry) };
      },
      listBalanceEntries: async (
        { customerId, currency, invoiceId, kind, ...request },
        context,
      ) => {
        const name = kind === undefined ? undefined : balanceEntryKinds.nameOf(kind);
        const filter = { customerId, currency, invoiceId, kind: name };
        const { data, total } = await entries.list({ ...filter, ...readPage(request) }, context);
        return { entries: data.map(toProtoEntry), total };
      },
      getBalanceEntry: async ({ id }, context) => {
        const entry = await entries.find(id, context);
        if (entry === undefined || entry.sequence === 0) throw notFound('Balance entry');
        return { entry: toProtoEntry(entry) };
      },
    },
    { callers: balanceCallers },
  );
}

function checkRequest(request: CreateBalanceEntryRequest): void {
  const problems = balanceEntryProblems(request);
  refuseProblems({ ...problems, metadata: checkMetadata(request.metadata) });
}

function toProtoBalance({ customerId, currency, balance, movedAt }: Balance): ProtoBalance {
  return { customerId, currency, balance, updatedAt: movedAt };
}

/** Entry as its callers see it. */
export function toProtoEntry(entry: BalanceEntry): ProtoBalanceEntry {
  return {
    ...entry,
    sequence: BigInt(entry.sequence),
    kind: balanceEntryKinds.valueOf(entry.kind),
  };
}

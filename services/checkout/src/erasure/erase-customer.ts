import { type AggregateCollection, unfinishedPass } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Erasing } from '@billing/chassis/erasure-rpc';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { InvoiceRecord } from '../invoice/invoice';
import { eraseMethods, type EraseMethodsDependencies } from '../payment-method/erase-methods';
import { payerIdOf } from '../payment-method/store';
import { eraseSession } from './erased-session';
import type { SessionRecord } from '../sales/session';
import { buyerFactsOf } from '../tax/finalization-message';
import { endLateWrites, type LateWriteDependencies } from './end-late-writes';
import { keepBuyer } from './kept-buyer';

export type ErasureDependencies = EraseMethodsDependencies & LateWriteDependencies;

/** Erases deleted customers. Invoices and credit notes stay, with their buyers. */
export function erasingPayers(dependencies: ErasureDependencies): Erasing {
  const { sessions, invoices, payers } = dependencies;
  return {
    eraseData: async ({ customerId, customer }, context) => {
      if (customer !== undefined) await keepBuyers(customer, context, invoices);
      await eraseSessions(customerId, context, sessions);
      await eraseMethods(customerId, context, dependencies);
    },

    endLateWrites: ({ customerId }, context) => endLateWrites(customerId, context, dependencies),

    announcers: [
      { collection: sessions, filterOf: (customerId) => ({ customerId }) },
      {
        collection: invoices,
        filterOf: (customerId) => ({ isTombstone: false, customerId }),
      },
      {
        collection: payers,
        filterOf: (customerId, context) => ({ _id: payerIdOf(customerId, context) }),
      },
    ],
  };
}

// The law demands the buyer on invoices; those without one would lose it.
async function keepBuyers(
  customer: Customer,
  context: CallContext,
  invoices: AggregateCollection<InvoiceRecord>,
): Promise<void> {
  const { buyer } = buyerFactsOf(customer);
  const records = invoices.within(context);
  const filter = { isTombstone: false, customerId: customer.id };
  for (const { state } of await records.listAll(filter)) {
    await records.mutate(state.id, (record) => keepBuyer(record, buyer));
  }
}

async function eraseSessions(
  customerId: string,
  context: CallContext,
  sessions: AggregateCollection<SessionRecord>,
): Promise<void> {
  const records = sessions.within(context);
  for (const { state } of await records.listAll({ customerId })) {
    await records.mutate(state.id, eraseSession);
  }
  const { environmentId } = context.tenant;
  // Commands of a session carry its customer.
  if (await sessions.hasPending({ environmentId, customerId })) throw unfinishedPass();
}

import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { isNotFound } from '@billing/kernel/domain-error';
import type { BillingDependencies } from '../billing/create-bill';
import { billCycleEnd } from '../billing/create-cycle-end-bill';
import { billEnd, billLate, billPeriod } from '../billing/commands';
import { billOwed } from '../billing/retry-waiting-bills';
import type { Changes } from '../change/change-store';
import {
  creditCancellation,
  creditChange,
  invoiceChange,
  recordFinishedChanges,
  undoChange,
  voidChangeInvoices,
} from '../change/create-change-invoice';
import { authorizationResolved } from '../creation/creation';
import { returnReserved } from '../creation/reserve-balance';
import type { MigrationRows } from '../migration/price-migration-store';
import { recordMigrated } from '../migration/migration-worker';
import { type InvoiceClient, voidInvoice } from '../peer/checkout';
import type { CustomerClient } from '../peer/customer';
import { confirmRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import type { Subscriptions } from '../storage/subscription-store';
import type {
  BillCycleEnd,
  BillEnd,
  BillingCommand,
  BillLate,
  BillOwed,
  BillPeriod,
  Close,
  ConfirmRedemption,
  CreditCancellation,
  CreditChange,
  EndCollection,
  InvoiceChange,
  RecordChanges,
  ReleaseRedemption,
  ResolveAuthorization,
  UndoChange,
  VoidChangeInvoices,
} from '../subscription/command';
import type { Subscription } from '../subscription/subscription';

export interface CommandDependencies {
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
  /** Rows of price migrations. */
  readonly rows: MigrationRows;
  readonly peers: Peers;
  readonly invoices: InvoiceClient;
  readonly customers: CustomerClient;
  readonly logger: Logger;
  readonly adoptRemade: BillingDependencies['adoptRemade'];
  readonly onRenewalInvoiced: BillingDependencies['onRenewalInvoiced'];
  readonly onDroppedCredits: BillingDependencies['onDroppedCredits'];
}

type CommandHandlers = Readonly<Record<BillingCommand['type'], CommandHandler>>;

/** Handlers of the commands that the rules order. Each may run again after it was carried out. */
export function subscriptionCommands(dependencies: CommandDependencies): CommandHandlers {
  const { subscriptions, peers } = dependencies;
  return {
    billPeriod: (payload: BillPeriod['payload'], delivery) =>
      billPeriod(payload, delivery, dependencies),

    billEnd: (_payload: BillEnd['payload'], { aggregateId, context }) =>
      billEnd(
        aggregateId,
        { closing: { voidedInvoiceId: null }, voided: undefined },
        context,
        dependencies,
      ),

    billOwed: (_payload: BillOwed['payload'], { aggregateId, context }) =>
      billOwed(aggregateId, context, dependencies),

    billLate: (payload: BillLate['payload'], { aggregateId, context }) =>
      billLate(aggregateId, payload, context, dependencies),

    billCycleEnd: (payload: BillCycleEnd['payload'], delivery) =>
      billCycleEnd(payload, delivery, dependencies),

    close: async ({ invoiceId, isOwed }: Close['payload'], { aggregateId, context }) => {
      const { state } = await subscriptions.get(aggregateId, context);
      const voided = await voidInvoice(invoiceId, state, context, peers);
      await returnReserved({ invoiceId, voided }, state, context, peers);
      const closing = { voidedInvoiceId: isOwed ? invoiceId : null };
      await billEnd(aggregateId, { closing, voided }, context, dependencies);
    },

    endCollection: async (
      { invoiceIds, writeOff }: EndCollection['payload'],
      { aggregateId, context },
    ) => {
      const { state } = await subscriptions.get(aggregateId, context);
      for (const invoiceId of invoiceIds) {
        await endCollection({ invoiceId, writeOff }, state, context, dependencies);
      }
    },

    confirmRedemption: (
      { discountId }: ConfirmRedemption['payload'],
      { aggregateId: holderId, context },
    ) => confirmRedemption({ discountId, holderId }, context, dependencies),

    releaseRedemption: async (
      { discountId, holderId }: ReleaseRedemption['payload'],
      { aggregateId, context },
    ) => {
      // An earlier command may have confirmed it.
      const request = { discountId, holderId: holderId ?? aggregateId, evenConfirmed: true };
      await peers.discount.releaseRedemption(request, context);
    },

    ...changeCommands(dependencies),

    resolveAuthorization: async (
      { authorizedTransactionId }: ResolveAuthorization['payload'],
      { aggregateId, context },
    ) => {
      const { state } = await subscriptions.get(aggregateId, context);
      const { id: subscriptionId, customer } = state;
      await peers.checkout.resolveAuthorization(
        { subscriptionId, customerId: customer.id, authorizedTransactionId },
        context,
      );
      await subscriptions.record(aggregateId, context, authorizationResolved);
    },
  };
}

function changeCommands(
  dependencies: CommandDependencies,
): Pick<
  CommandHandlers,
  | 'invoiceChange'
  | 'creditChange'
  | 'creditCancellation'
  | 'undoChange'
  | 'recordChanges'
  | 'voidChangeInvoices'
> {
  return {
    invoiceChange: ({ changeId }: InvoiceChange['payload'], { aggregateId: id, context }) =>
      invoiceChange({ id, changeId }, context, dependencies),

    creditChange: ({ changeId }: CreditChange['payload'], { aggregateId: id, context }) =>
      creditChange({ id, changeId }, context, dependencies),

    creditCancellation: (
      { invoiceIds }: CreditCancellation['payload'],
      { aggregateId: id, context },
    ) => creditCancellation({ id, invoiceIds }, context, dependencies),

    undoChange: ({ changeId }: UndoChange['payload'], { aggregateId: id, context }) =>
      undoChange({ id, changeId }, context, dependencies),

    recordChanges: async (_payload: RecordChanges['payload'], { aggregateId, context }) => {
      await recordMigrated(aggregateId, context, dependencies);
      await recordFinishedChanges(aggregateId, context, dependencies);
    },

    voidChangeInvoices: (
      { invoiceIds }: VoidChangeInvoices['payload'],
      { aggregateId: id, context },
    ) => voidChangeInvoices({ id, invoiceIds }, context, dependencies),
  };
}

/** Ends the retries of an invoice, or prevents the creation of one that does not exist. */
export async function endCollection(
  { invoiceId, writeOff }: { readonly invoiceId: string; readonly writeOff: boolean },
  subscription: Subscription,
  context: CallContext,
  dependencies: Pick<CommandDependencies, 'peers'>,
): Promise<void> {
  const request = { invoiceId, subscriptionId: subscription.id, writeOff };
  try {
    await dependencies.peers.checkout.endCollection(request, context);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // The subscription ended before its invoice was created. A call that creates it may still be in
    // flight and must find the id taken.
    const voided = await voidInvoice(invoiceId, subscription, context, dependencies.peers);
    await returnReserved({ invoiceId, voided }, subscription, context, dependencies.peers);
  }
}

import type { AggregateCollection, CommandHandler } from '@billing/chassis/aggregate-collection';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { BillPeriod, BillingCommand, Close, ResolveAuthorization } from './billing';
import { endedWithin } from './cancellation';
import { authorizationResolved } from './creation';
import { toProtoNewInvoice } from './invoice-rpc';
import { noteInvoice } from './open-invoices';
import type { Peers } from './peers';
import type { Subscription } from './subscription';

/** What the service does about the commands that its rules decide. Each may run again after it was carried out. */
export function subscriptionCommands(
  subscriptions: AggregateCollection<Subscription>,
  { checkout }: Peers,
): Readonly<Record<BillingCommand['type'], CommandHandler>> {
  return {
    billPeriod: async (payload: BillPeriod['payload'], { aggregateId, context }) => {
      const store = subscriptions.within(context);
      const { state } = await store.get(aggregateId);
      // Cancelled in this very period: an invoice made now would charge for what nobody wants any more, before the command that voids it.
      if (endedWithin(state, payload.periodIndex)) return;
      const request = toProtoNewInvoice(state, payload);
      const { invoice, collecting } = await checkout.createInvoice(request, context);
      // The subscription was cancelled during the call, and a late repeat found the place of the invoice taken.
      if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return;
      const { invoiceId, periodIndex } = payload;
      await store.mutate(aggregateId, (current) => ({
        state: noteInvoice(current, { invoiceId, periodIndex, isCollecting: collecting }),
        events: [],
        commands: [],
      }));
    },

    close: async ({ invoiceId }: Close['payload'], { aggregateId, context }) => {
      const { state } = await subscriptions.within(context).get(aggregateId);
      const { id: subscriptionId, customer, price } = state;
      // Refused while a payment runs, and repeated until that has an outcome.
      await checkout.voidDerivedInvoice(
        { invoiceId, subscriptionId, customerId: customer.id, currency: price.currency },
        context,
      );
    },

    resolveAuthorization: async (
      { authorizedTransactionId }: ResolveAuthorization['payload'],
      { aggregateId, context },
    ) => {
      const store = subscriptions.within(context);
      const { state } = await store.get(aggregateId);
      const { id: subscriptionId, customer } = state;
      await checkout.resolveAuthorization(
        { subscriptionId, customerId: customer.id, authorizedTransactionId },
        context,
      );
      await store.mutate(aggregateId, (current) => ({
        state: authorizationResolved(current),
        events: [],
        commands: [],
      }));
    },
  };
}

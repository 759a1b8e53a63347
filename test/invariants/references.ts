import { examineEach, type Invariant, together } from './picture/invariant';

/**
 * The records of money name each other across services, and none of them is ever removed. Entries
 * of balances are examined with their sums.
 */
export const referencesExist: Invariant = {
  id: 'I64',
  title: 'invoices, credit notes and refunds name only what their owners have',
  examine: ({ subscriptions, invoices, creditNotes, refunds }) => {
    const isSubscription = has(subscriptions);
    const isInvoice = has(invoices);
    const isPayment = has(invoices.flatMap(({ payments }) => payments));
    return together(
      // An invoice whose subscription was never created is VOID.
      examineEach(
        invoices.filter(({ status }) => status !== 'DRAFT' && status !== 'VOID'),
        ({ id, subscriptionId }) => [
          !isSubscription(subscriptionId) &&
            `invoice ${id}: subscription ${String(subscriptionId)} does not exist`,
        ],
      ),
      examineEach(creditNotes, ({ id, invoiceId }) => [
        !isInvoice(invoiceId) && `credit note ${id}: invoice ${invoiceId} does not exist`,
      ]),
      examineEach(refunds, ({ id, paymentId }) => [
        !isPayment(paymentId) && `refund ${id}: payment ${paymentId} does not exist`,
      ]),
    );
  },
};

/** True for an id of one of the objects, and for no id. */
function has(objects: readonly { readonly id: string }[]): (id: string | null) => boolean {
  const ids = new Set(objects.map(({ id }) => id));
  return (id) => id === null || ids.has(id);
}

import { examineEach, groupBy, type Invariant, repeated, together } from './invariant';
import type {
  ChangePicture,
  InvoicePicture,
  ItemPicture,
  Picture,
  SubscriptionPicture,
} from './picture';

export const changesFollowEachOther: Invariant = {
  id: 'I14',
  title: 'each applied change begins with what the one before it has left',
  examine: ({ changes, subscriptions }) => {
    const applied = groupBy(
      changes.filter(({ status }) => status === 'APPLIED'),
      ({ subscriptionId }) => subscriptionId,
    );
    const changed = subscriptions.filter(({ id }) => applied.has(id));
    return examineEach(changed, (subscription) => [
      !isChain(applied.get(subscription.id) ?? [], subscription) &&
        `subscription ${subscription.id}: its changes do not lead to its items`,
    ]);
  },
};

/**
 * Changes of one instant have no known order: it suffices that what each begins with was left by
 * another one, but for the first items, and that the subscription has what none begins with.
 */
function isChain(applied: readonly ChangePicture[], { items }: SubscriptionPicture): boolean {
  const left = applied.map(({ to }) => itemsText(to.items));
  const begun = [...applied.map(({ from }) => itemsText(from.items)), itemsText(items)];
  for (const text of begun.toReversed()) {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
  }
  return left.length === 0;
}

function itemsText(items: readonly ItemPicture[]): string {
  return items
    .map(({ productId, priceId, quantity }) => [productId, priceId, quantity].join())
    .join(';');
}

export const changesEndWithTheirInvoices: Invariant = {
  id: 'I16',
  title: 'an invoice of a change is of one change; of a failed one it is VOID or credited in full',
  examine: (picture) => {
    const charged = picture.changes.filter(({ collect }) => collect === 'NOW');
    const byInvoice = groupBy(charged, ({ invoiceId }) => invoiceId ?? 'none');
    return together(
      examineEach(picture.invoices.filter(isOfChange), (invoice) =>
        invoiceProblems(invoice, byInvoice.get(invoice.id) ?? []),
      ),
      examineEach(picture.changes, (change) => [failureProblem(change, picture)]),
    );
  },
};

// The usage before a new cycle is billed by an invoice that no change names.
function isOfChange({ billingReason, lineItems }: InvoicePicture): boolean {
  return billingReason === 'SUBSCRIPTION_CHANGE' && lineItems.some(({ kind }) => kind !== 'USAGE');
}

function invoiceProblems(
  invoice: InvoicePicture,
  [change, ...others]: readonly ChangePicture[],
): (string | false)[] {
  const name = `invoice ${invoice.id}`;
  if (change === undefined) return [`${name}: of no change`];
  const isPaid = invoice.status === 'PAID' && !isCredited(invoice);
  return [
    others.length > 0 && `${name}: of several changes`,
    isPaid && change.status !== 'APPLIED' && `${name}: PAID for a change that is ${change.status}`,
  ];
}

function failureProblem({ id, status, invoiceId }: ChangePicture, picture: Picture) {
  const invoice = picture.invoices.find((one) => one.id === invoiceId);
  if (status !== 'FAILED' || invoice === undefined) return false;
  const isOver = invoice.status === 'VOID' || isCredited(invoice);
  return !isOver && `change ${id}: FAILED with an invoice that is ${invoice.status}`;
}

function isCredited({ total, amountCredited }: InvoicePicture): boolean {
  return total > 0 && amountCredited === total;
}

export const numbersAreUnique: Invariant = {
  id: 'I60',
  title: 'no number of an invoice or a credit note is given twice',
  examine: ({ invoices, creditNotes }) => ({
    examined: invoices.length + creditNotes.length,
    findings: [invoices, creditNotes]
      .flatMap((documents) => repeated(documents.flatMap(({ number }) => number ?? [])))
      .map(([number, count]) => `${number} is given ${String(count)} times`),
  }),
};

export const periodsAreBilledOnce: Invariant = {
  id: 'I61',
  title: 'at most one invoice that is not VOID bills the recurring lines of a period',
  examine: ({ invoices }) => {
    const billed = invoices.filter(
      ({ status, subscriptionId }) => status !== 'VOID' && subscriptionId !== null,
    );
    const periods = billed.flatMap(({ subscriptionId, lineItems }) => [
      ...new Set(
        lineItems
          .filter(({ kind }) => kind === 'RECURRING')
          .map(({ periodStart }) => `${String(subscriptionId)} from ${String(periodStart)}`),
      ),
    ]);
    return {
      examined: billed.length,
      findings: repeated(periods).map(
        ([period, count]) => `subscription ${period}: billed by ${String(count)} invoices`,
      ),
    };
  },
};

import { examineEach, groupBy, type Invariant, repeated, together } from '../picture/invariant';
import type {
  ChangePicture,
  InvoicePicture,
  ItemPicture,
  Picture,
  SubscriptionPicture,
} from '../picture/picture';
import { coverProblems, itemProblems } from './periods-of-life';

export const changesFollowEachOther: Invariant = {
  id: 'I14',
  title: 'periods and pauses cover each life, items each period; changes follow each other',
  examine: ({ changes, subscriptions, invoices }) => {
    const applied = groupBy(
      changes.filter(({ status }) => status === 'APPLIED'),
      ({ subscriptionId }) => subscriptionId,
    );
    const billed = groupBy(invoices, ({ subscriptionId }) => subscriptionId ?? 'none');
    return examineEach(subscriptions, (subscription) => {
      const { id } = subscription;
      const own = applied.get(id) ?? [];
      const life = { subscription, applied: own, invoices: billed.get(id) ?? [] };
      return [
        !isChain(own, subscription) && `subscription ${id}: its changes do not lead to its items`,
        ...coverProblems(life),
        ...itemProblems(life),
      ];
    });
  },
};

/**
 * Each change begins with what the one before it has left, and the subscription has what the last
 * one has left. Changes of one instant have no known order: any order will do.
 */
function isChain(applied: readonly ChangePicture[], { items }: SubscriptionPicture): boolean {
  const [first] = applied;
  if (first === undefined) return true;
  const instants = [...groupBy(applied, ({ effectiveAt }) => effectiveAt).values()];
  const begun = instants[0]?.map(({ from }) => itemsText(from.items)) ?? [];
  const left = instants.reduce((states: ReadonlySet<string>, group) => {
    return new Set([...states].flatMap((state) => endsOf(state, group)));
  }, new Set(begun));
  return left.has(itemsText(items));
}

/** What changes of one instant may leave, in any order. */
function endsOf(state: string, changes: readonly ChangePicture[]): string[] {
  if (changes.length === 0) return [state];
  const ends = changes.flatMap((change, index) => {
    if (itemsText(change.from.items) !== state) return [];
    // Of equal changes one stands for all.
    const isRepeat = changes.slice(0, index).some((one) => sidesText(one) === sidesText(change));
    return isRepeat ? [] : endsOf(itemsText(change.to.items), changes.toSpliced(index, 1));
  });
  return [...new Set(ends)];
}

function sidesText({ from, to }: ChangePicture): string {
  return `${itemsText(from.items)} ${itemsText(to.items)}`;
}

function itemsText(items: readonly ItemPicture[]): string {
  return items
    .map(({ productId, priceId, quantity }) => [productId, priceId, quantity].join())
    .join(';');
}

export const changesEndWithTheirInvoices: Invariant = {
  id: 'I16',
  title: 'one invoice a change, of a failed one VOID or credited in full; nothing stays reserved',
  examine: (picture) => {
    const charged = picture.changes.filter(({ collect }) => collect === 'NOW');
    const byInvoice = groupBy(charged, ({ invoiceId }) => invoiceId ?? 'none');
    return together(
      examineEach(picture.invoices.filter(isOfChange), (invoice) =>
        invoiceProblems(invoice, byInvoice.get(invoice.id) ?? []),
      ),
      examineEach(picture.changes, (change) => [
        failureProblem(change, picture),
        ...outcomeProblems(change, picture),
      ]),
      examineEach(picture.reserved ?? [], ({ invoiceId, isReserved }) => [
        isReserved &&
          !isBeingPaid(invoiceId, picture) &&
          `invoice ${invoiceId}: a reservation has outlived its change`,
      ]),
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

// With a running clock a change follows its time by some moments.
const lagMsMax = 60_000;

/** A change whose time has come is APPLIED or FAILED, and says what became of it. */
function outcomeProblems(
  { id, status, effectiveAt, failure = null, ...change }: ChangePicture,
  { subscriptions, invoices, creditNotes, now, isManual }: Picture,
): (string | false)[] {
  const subscription = subscriptions.find((one) => one.id === change.subscriptionId);
  const invoice = invoices.find((one) => one.id === change.invoiceId);
  const lateMs = now.getTime() - new Date(effectiveAt).getTime();
  const isOpen = status === 'PENDING' || status === 'PAYING';
  const isVoided = invoices.some(
    (one) => one.status === 'VOID' && one.subscriptionId === change.subscriptionId,
  );
  const made = new Set(creditNotes.map((note) => note.id));
  const isMissing = (change.creditNoteIds ?? []).some((noteId) => !made.has(noteId));
  const name = `change ${id}`;
  return [
    status === 'PENDING' && lateMs > (isManual ? 0 : lagMsMax) && `${name}: PENDING past its time`,
    isOpen && subscription?.status === 'CANCELED' && `${name}: ${status} after the end`,
    status === 'PAYING' &&
      invoice !== undefined &&
      invoice.status !== 'OPEN' &&
      `${name}: PAYING with an invoice that is ${invoice.status}`,
    status === 'APPLIED' && failure !== null && `${name}: APPLIED with a failure`,
    status !== 'APPLIED' &&
      (change.creditNoteIds ?? []).length > 0 &&
      `${name}: ${status} with credit notes`,
    // A VOID invoice gets no credit note.
    isMissing && !isVoided && `${name}: its credit notes are not issued`,
  ];
}

/** True if a change of the invoice's subscription is being paid: it may hold a reservation. */
function isBeingPaid(invoiceId: string, { invoices, changes }: Picture): boolean {
  const invoice = invoices.find(({ id }) => id === invoiceId);
  return changes.some(
    ({ status, subscriptionId }) =>
      status === 'PAYING' && subscriptionId === invoice?.subscriptionId,
  );
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
  examine: ({ invoices, changes }) => {
    const cut = new Set(changes.filter(cutsToNothing).map(({ invoiceId }) => invoiceId));
    const billed = invoices.filter(
      ({ status, subscriptionId }) => status !== 'VOID' && subscriptionId !== null,
    );
    const periods = billed
      .filter(({ id }) => !cut.has(id))
      .flatMap(({ subscriptionId, lineItems }) => [
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

/**
 * True for a change that begins a cycle at the very start of a period: its invoice is of another
 * period from that instant on than the invoice before it.
 */
function cutsToNothing({ status, from, to, effectiveAt }: ChangePicture): boolean {
  const isAtStart = from.currentPeriodStart === effectiveAt;
  return status === 'APPLIED' && isAtStart && to.currentPeriodStart === effectiveAt;
}

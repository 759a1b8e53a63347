import { derivedId } from '@billing/chassis/ids';
import { examineEach, groupBy, type Invariant, repeated, together } from './picture/invariant';
import type {
  CreditNotePicture,
  InvoicePicture,
  LinePicture,
  RefundPicture,
} from './picture/picture';
import { gapsIn } from './writes';

export const creditsStayWithin: Invariant = {
  id: 'I21',
  title: 'credit-note numbers without gaps, Σ credits ≤ line and invoice, splits add up',
  examine: ({ creditNotes, invoices, restoreCodes }) => {
    const ofInvoices = groupBy(creditNotes, ({ invoiceId }) => invoiceId);
    const known = new Set(invoices.map(({ id }) => id));
    return together(
      examineEach(creditNotes, (note) => [
        ...noteProblems(note),
        !known.has(note.invoiceId) && `credit note ${note.id}: of no invoice`,
      ]),
      examineEach(invoices, (invoice) => creditProblems(invoice, ofInvoices.get(invoice.id) ?? [])),
      { examined: 0, findings: gapsIn(creditNotes, restoreCodes) },
    );
  },
};

export const refundsStayWithin: Invariant = {
  id: 'I22',
  title: 'Σ refunds ≤ what a payment has paid, one refund at the provider each, none unsent',
  examine: ({ environmentId, refunds, invoices, now, isManual }) => {
    const payments = invoices.flatMap((invoice) => invoice.payments);
    const ofPayments = groupBy(refunds, ({ paymentId }) => paymentId);
    const known = new Set(payments.map(({ id }) => id));
    // With a running clock a refund may be on its way to its provider.
    const sentBefore = now.getTime() - (isManual ? 0 : sendingMsMax);
    return together(
      examineEach(payments, ({ id, amount, overpayment, amountRefunded }) => {
        const own = ofPayments.get(id) ?? [];
        const paid = own.filter((one) => !isOfOverpayment(one, environmentId));
        const held = sumOf(paid.filter(isHeld));
        return [
          held > amount - overpayment && `payment ${id}: refunds beyond what it has paid`,
          sumOf(own.filter(({ status }) => status === 'SUCCEEDED')) !== amountRefunded &&
            `payment ${id}: amountRefunded ≠ Σ successful refunds`,
        ];
      }),
      examineEach(refunds, ({ id, paymentId, status, providerRefundId, createdAt }) => [
        !known.has(paymentId) && `refund ${id}: of no payment`,
        status === 'SUCCEEDED' &&
          providerRefundId === null &&
          `refund ${id}: SUCCEEDED without the provider`,
        status === 'PENDING' &&
          providerRefundId === null &&
          Date.parse(createdAt) <= sentBefore &&
          `refund ${id}: not sent`,
      ]),
      {
        examined: 0,
        findings: repeated(refunds.flatMap(({ providerRefundId }) => providerRefundId ?? [])).map(
          ([id]) => `refund ${id} at the provider is recorded twice`,
        ),
      },
    );
  },
};

// Lease of a refund, with the time of some passes of the workers.
const sendingMsMax = 120_000;

function noteProblems(note: CreditNotePicture): (string | false)[] {
  const { id, number, total, tax, lines, refunds, refunded, unsettled } = note;
  const parts = note.reduced + note.toBalance + refunded + note.external + unsettled;
  const failed = refunds.filter(({ status }) => status === 'FAILED');
  return [
    number === null && `credit note ${id}: no number`,
    parts !== total && `credit note ${id}: Σ parts ≠ total`,
    sum(lines.map((line) => line.total)) !== total && `credit note ${id}: Σ lines ≠ total`,
    sum(lines.map(({ taxAmount }) => taxAmount)) !== tax && `credit note ${id}: Σ taxes ≠ tax`,
    sumOf(refunds.filter(isHeld)) !== refunded && `credit note ${id}: Σ refunds ≠ refunded`,
    sumOf(failed) !== unsettled && `credit note ${id}: Σ failed refunds ≠ unsettled`,
  ];
}

function creditProblems(
  invoice: InvoicePicture,
  notes: readonly CreditNotePicture[],
): (string | false)[] {
  const { id, total, amountCredited, amountReduced, creditNoteIds, lineItems } = invoice;
  const credited = sum(notes.map((note) => note.total));
  const lines = groupBy(
    notes.flatMap((note) => note.lines),
    ({ lineItemId }) => lineItemId,
  );
  const listed = notes.map((note) => note.id).toSorted();
  return [
    credited > total && `invoice ${id}: credited beyond its total`,
    credited !== amountCredited && `invoice ${id}: amountCredited ≠ Σ credit notes`,
    sum(notes.map(({ reduced }) => reduced)) !== amountReduced &&
      `invoice ${id}: amountReduced ≠ Σ credit notes`,
    listed.join() !== creditNoteIds.toSorted().join() &&
      `invoice ${id}: creditNoteIds ≠ its credit notes`,
    ...lineItems.flatMap((line) => lineProblems(id, line, lines.get(line.id) ?? [])),
  ];
}

function lineProblems(
  invoiceId: string,
  { id, total, taxAmount }: LinePicture,
  credits: CreditNotePicture['lines'],
): (string | false)[] {
  const credited = sum(credits.map((credit) => credit.total));
  const tax = sum(credits.map((credit) => credit.taxAmount));
  const isWithin = total < 0 ? credited <= 0 && credited >= total : credited <= total;
  return [
    !isWithin && `invoice ${invoiceId}: line ${id} is credited beyond its total`,
    credits.length > 0 &&
      credited === total &&
      tax !== taxAmount &&
      `invoice ${invoiceId}: line ${id} is credited in full without its tax`,
  ];
}

/**
 * True for the refund of an overpayment, whose customer was deleted: its id follows from the
 * payment. Without access to the services, each refund of no credit note may be one.
 */
export function isOfOverpayment(
  { id, creditNoteId, paymentId }: Pick<RefundPicture, 'id' | 'creditNoteId' | 'paymentId'>,
  environmentId: string | undefined,
): boolean {
  if (environmentId === undefined) return creditNoteId === null;
  return id === derivedId(environmentId, 'refund', paymentId, 'overpayment');
}

function isHeld({ status }: RefundPicture): boolean {
  return status === 'PENDING' || status === 'SUCCEEDED';
}

function sumOf(refunds: readonly RefundPicture[]): number {
  return sum(refunds.map(({ amount }) => amount));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0);
}

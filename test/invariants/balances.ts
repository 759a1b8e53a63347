import { examineEach, groupBy, type Invariant, repeated, together } from './picture/invariant';
import type { BalanceEntryPicture, InvoicePicture } from './picture/picture';
import { isOfOverpayment } from './credits';

export const balancesAddUp: Invariant = {
  id: 'I20',
  title: 'balance = Σ entries ≥ 0, sequences 1…k, entries agree with invoices and payments',
  examine: ({ environmentId, balances, balanceEntries, invoices, creditNotes, refunds }) => {
    const rows = new Map(balances.map((row) => [ownerOf(row), row.balance]));
    const ledgers = groupBy(balanceEntries, ownerOf);
    const owners = [...new Set([...rows.keys(), ...ledgers.keys()])];
    const applied = new Map(invoices.map((invoice) => [invoice.id, invoice.balanceApplied]));
    const ofInvoices = groupBy(
      balanceEntries.filter(({ kind }) => kind === 'APPLIED' || kind === 'RETURNED'),
      ({ invoiceId }) => invoiceId ?? '',
    );
    const ofPayments = groupBy(
      balanceEntries.filter(({ kind }) => kind === 'OVERPAYMENT' || kind === 'PAYMENT'),
      ({ invoiceId }) => invoiceId ?? '',
    );
    const ofNotes = groupBy(
      balanceEntries.filter(({ kind }) => kind === 'CREDIT_NOTE' || kind === 'REFUND_REPLACED'),
      ({ creditNoteId }) => creditNoteId ?? '',
    );
    // They are refunded in place of their posting, so that no entry is of them.
    const refunded = new Set(
      refunds
        .filter((refund) => isOfOverpayment(refund, environmentId))
        .map(({ paymentId }) => paymentId),
    );
    const given = new Map(creditNotes.map(({ id, toBalance }) => [id, toBalance]));
    const noteIds = [...new Set([...given.keys(), ...ofNotes.keys()])];
    const invoiceIds = [...new Set([...applied.keys(), ...ofInvoices.keys()])];
    return together(
      examineEach(owners, (owner) => {
        const ledger = ledgers.get(owner) ?? [];
        return [
          ...ledgerProblems(ledger),
          rows.get(owner) !== sumOf(ledger) && `balance ${owner}: ≠ Σ entries`,
        ];
      }),
      examineEach(invoiceIds, (id) => [
        -sumOf(ofInvoices.get(id) ?? []) !== (applied.get(id) ?? 0) &&
          `invoice ${id}: balanceApplied ≠ its entries`,
      ]),
      examineEach(noteIds, (id) => [
        sumOf(ofNotes.get(id) ?? []) !== (given.get(id) ?? 0) &&
          `credit note ${id}: toBalance ≠ its entries`,
      ]),
      examineEach(invoices, (invoice) => {
        const { id } = invoice;
        const entries = ofPayments.get(id) ?? [];
        const sumOfKind = (kind: string) => sumOf(entries.filter((entry) => entry.kind === kind));
        const posted = [overpaidOn(invoice, refunded)];
        if (environmentId === undefined) posted.push(overpaidOn(invoice, new Set()));
        return [
          !posted.includes(sumOfKind('OVERPAYMENT')) && `invoice ${id}: overpayments ≠ its entries`,
          -sumOfKind('PAYMENT') !== paidFromBalance(invoice) &&
            `invoice ${id}: payments from the balance ≠ its entries`,
        ];
      }),
      examineEach(
        invoices.filter(({ status }) => status === 'VOID'),
        ({ id, balanceApplied }) => [balanceApplied !== 0 && `invoice ${id}: VOID with a balance`],
      ),
      {
        examined: 0,
        findings: repeated(balanceEntries.map(({ id }) => id)).map(
          ([id]) => `balance entry ${id} occurs twice`,
        ),
      },
    );
  },
};

function ledgerProblems(ledger: readonly BalanceEntryPicture[]): (string | false)[] {
  const ordered = ledger.toSorted((a, b) => a.sequence - b.sequence);
  return ordered.flatMap(({ id, sequence, balanceAfter }, index) => [
    sequence !== index + 1 && `balance entry ${id}: a gap or repeat in the sequence`,
    balanceAfter !== sumOf(ordered.slice(0, index + 1)) &&
      `balance entry ${id}: balanceAfter ≠ Σ entries`,
    balanceAfter < 0 && `balance entry ${id}: balance below 0`,
  ]);
}

/** Σ of the overpayments that go to the balance. */
function overpaidOn({ payments }: InvoicePicture, refunded: ReadonlySet<string>): number {
  const posted = payments.filter(({ id, status }) => status === 'SUCCEEDED' && !refunded.has(id));
  return posted.reduce((sum, { overpayment }) => sum + overpayment, 0);
}

function paidFromBalance({ payments }: InvoicePicture): number {
  return sumOf(
    payments.filter(({ status, provider }) => status === 'SUCCEEDED' && provider === 'balance'),
  );
}

function ownerOf({ customerId, currency }: { customerId: string; currency: string }): string {
  return `${customerId} ${currency}`;
}

function sumOf(entries: readonly { readonly amount: number }[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}

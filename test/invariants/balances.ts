import { examineEach, groupBy, type Invariant, repeated, together } from './invariant';
import type { BalanceEntryPicture } from './picture';

export const balancesAddUp: Invariant = {
  id: 'I20',
  title: 'balance = Σ entries ≥ 0, sequences 1…k, invoices hold what they took',
  examine: ({ balances, balanceEntries, invoices }) => {
    const rows = new Map(balances.map((row) => [ownerOf(row), row.balance]));
    const ledgers = groupBy(balanceEntries, ownerOf);
    const owners = [...new Set([...rows.keys(), ...ledgers.keys()])];
    const applied = new Map(invoices.map((invoice) => [invoice.id, invoice.balanceApplied]));
    const ofInvoices = groupBy(
      balanceEntries.filter(({ kind }) => kind === 'APPLIED' || kind === 'RETURNED'),
      ({ invoiceId }) => invoiceId ?? '',
    );
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

function ownerOf({ customerId, currency }: { customerId: string; currency: string }): string {
  return `${customerId} ${currency}`;
}

function sumOf(entries: readonly BalanceEntryPicture[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}

import { Link } from 'wouter';
import { dayColumn, moneyColumn } from '../../parts/table/columns';
import type { Column } from '../../parts/table/data-table';
import { type CreditNote, creditNoteName, creditReasonText, splitText } from './credit-note';
import { customerColumn } from '../customer-link';

const name: Column<CreditNote> = {
  title: 'Credit note',
  text: creditNoteName,
  cell: (note) => (
    <Link className="number" href={`/credit-notes/${note.id}`}>
      {creditNoteName(note)}
    </Link>
  ),
};
const others: readonly Column<CreditNote>[] = [
  moneyColumn(
    'Total',
    ({ total }) => total,
    ({ currency }) => currency,
  ),
  {
    title: 'Where it went',
    text: splitText,
    cell: (note) => (
      <span className={note.unsettled > 0 ? 'problem' : undefined}>{splitText(note)}</span>
    ),
  },
  { title: 'Reason', text: ({ reason }) => creditReasonText(reason) },
  dayColumn('Issued', ({ issuedAt }) => issuedAt),
];

/** Columns of the credit notes of one invoice. */
export const creditNoteColumns: readonly Column<CreditNote>[] = [name, ...others];

/** Columns of credit notes of any invoice. */
export const allCreditNoteColumns: readonly Column<CreditNote>[] = [
  name,
  customerColumn,
  ...others,
];

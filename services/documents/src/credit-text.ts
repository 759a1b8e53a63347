import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import type { SumRow } from './invoice-settled';
import { say } from './say';

type Split = Pick<CreditNote, 'reduced' | 'toBalance' | 'refunded' | 'external' | 'unsettled'>;

/** Where the total of a credit note has gone, for its customer: label and amount. */
export function creditRows(note: Split): SumRow[] {
  const rows = [
    [say('creditNote.reduced'), note.reduced],
    [say('creditNote.toBalance'), note.toBalance],
    [say('creditNote.refunded'), note.refunded],
    [say('creditNote.external'), note.external],
    [say('creditNote.unsettled'), note.unsettled],
  ] as const;
  return rows.filter(([, amount]) => amount !== 0n);
}

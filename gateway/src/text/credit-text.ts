import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';

type Split = Pick<CreditNote, 'reduced' | 'toBalance' | 'refunded' | 'external' | 'unsettled'>;

/** Where the total of a credit note has gone, for its customer: label and amount. */
export function creditRows(note: Split): (readonly [string, bigint])[] {
  const rows = [
    ['Taken off the amount due', note.reduced],
    ['Added to your balance', note.toBalance],
    ['Refunded to your card', note.refunded],
    ['Returned in another way', note.external],
    ['Refund failed, please contact the seller', note.unsettled],
  ] as const;
  return rows.filter(([, amount]) => amount !== 0n);
}

/** Collections in which an operation writes, and the service that owns them. */
export const ownerOf = {
  invoices: 'checkout',
  invoiceNumbers: 'checkout',
  creditNoteNumbers: 'checkout',
  creditNotes: 'checkout',
  balances: 'checkout',
  balanceEntries: 'checkout',
  eventLog: 'checkout',
  messages: 'notifier',
} as const;

export type MoneyCollection = keyof typeof ownerOf;

export type MoneyOperationName = 'opening' | 'payment' | 'creditNote';

/** One write of one document; an upsert is an update that inserts it. */
export interface MoneyWrite {
  readonly kind: 'insert' | 'update' | 'upsert';
  readonly collection: MoneyCollection;
}

const inserts = (collection: MoneyCollection): MoneyWrite => ({ kind: 'insert', collection });
const updates = (collection: MoneyCollection): MoneyWrite => ({ kind: 'update', collection });

const logged = inserts('eventLog');
// The events removed from the invoice, and a message for each.
const announced = (events: number) => [
  updates('invoices'),
  ...Array.from({ length: events }, () => inserts('messages')),
];
const creditNoteRow: MoneyWrite = { kind: 'upsert', collection: 'creditNotes' };

// The balance with its new entry, the entry's own document, the balance without the entry.
const posting = [[inserts('balanceEntries')], [updates('balances')]];

/**
 * Writes of one operation, in the order of its steps. The writes of a step need not wait
 * for each other. The last two announce the events. The log of requests, the feed and mails are
 * left out, as they are in the other floors.
 */
export const moneyWrites: Readonly<Record<MoneyOperationName, readonly (readonly MoneyWrite[])[]>> =
  {
    opening: [
      [inserts('invoices')],
      [inserts('invoiceNumbers'), updates('balances')],
      ...posting,
      [updates('invoices')],
      [logged, logged],
      announced(2),
    ],
    payment: [[updates('invoices')], [logged, logged], announced(2)],
    creditNote: [
      [updates('invoices')],
      [inserts('creditNoteNumbers'), creditNoteRow, updates('balances')],
      ...posting,
      [updates('invoices')],
      [logged],
      announced(1),
    ],
  };

/** The collections that an operation needs: a copy of a document of each. */
export function collectionsOf(operation: MoneyOperationName): MoneyCollection[] {
  return [...new Set(moneyWrites[operation].flat().map(({ collection }) => collection))];
}

import {
  type CreditedAmounts,
  issueCreditNote,
  type NewCreditNote,
} from '../credit-note/issue-credit-note';
import { type Invoice, type InvoiceRecord, pay, type Payment } from '../invoice/invoice';
import { recordExternal } from '../invoice/recorded-payment';
import { aLineItem, anOpened, asInvoice } from './invoice';

/** Environment and real time of all that happens. */
export const now = new Date('2026-01-02T00:00:00.000Z');
/** Facts of a change of an invoice without a saved card. */
export const facts = { methods: { methodId: undefined }, now, realNow: now };
export const line = (id: string, amount: bigint) => aLineItem({ id, amount });
const sent = { collectionMethod: 'SEND_INVOICE' } as const;
export const opened: Invoice = { ...anOpened(sent), lineItems: [line('a', 3451n)] };

let notes = 0;
export const asked = (amounts: CreditedAmounts, settle: NewCreditNote['settle'] = 'BALANCE') =>
  ({
    ...{ id: `note-${String((notes += 1))}`, reason: 'OTHER', memo: undefined, metadata: {} },
    ...{ amounts, settle },
  }) as const satisfies NewCreditNote;
export const issueOf = (record: InvoiceRecord, note: NewCreditNote) =>
  issueCreditNote(record, note, {
    ...facts,
    refundIdOf: (index) => `${note.id}-${String(index)}`,
  });
export const issue = (record: InvoiceRecord, ...note: Parameters<typeof asked>): Invoice =>
  asInvoice(issueOf(record, asked(...note)).state);
export const all: CreditedAmounts = { kind: 'ALL' };
export const amountOf = (amount: bigint): CreditedAmounts => ({ kind: 'AMOUNT', amount });
export const linesOf = (...lines: [string, bigint?][]): CreditedAmounts => ({
  kind: 'LINES',
  lines: lines.map(([lineItemId, amount]) => ({ lineItemId, amount })),
});

export const card: Payment = {
  ...{ id: 'p1', number: 1, amount: 3451n, provider: 'sandbox', providerPaymentId: 'ch1' },
  ...{ status: 'SUCCEEDED', failureCode: undefined, decline: undefined, methodId: undefined },
  ...{ origin: 'PAYER', retry: undefined, callId: undefined, recorded: undefined },
  ...{ overpayment: 0n, createdAt: now, endedAt: now },
};
export const withPayments = (...payments: Payment[]): Invoice => pay({ ...opened, payments }, now);
export const paid = withPayments(card);
export const bank = (invoice: Invoice, amount: bigint | undefined, callId: string) =>
  recordExternal(invoice, {
    ...{ ...facts, amount, callId, paymentIdOf: (number: number) => `p${String(number)}` },
    details: { method: 'CASH', reference: undefined, receivedAt: now, metadata: {} },
  });

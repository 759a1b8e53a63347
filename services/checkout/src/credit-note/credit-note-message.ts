import type { Stored } from '@billing/chassis/aggregate';
import { derivedId } from '@billing/chassis/ids';
import { isSameData } from '@billing/kernel/equality';
import { sumOf } from '@billing/kernel/money';
import type { TaxTerms } from '@billing/kernel/tax/tax';
import type { CreditNote as ProtoCreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { creditNoteReasons } from '@billing/proto/values/checkout';
import { type CreditNote, refundsOf, splitOf, totalOfNote } from '../invoice/credit/credit';
import type { Invoice } from '../invoice/invoice';
import { toProtoFinalization } from '../tax/finalization-message';
import { toProtoRefund } from '../refund/refund-message';

/** Credit notes of an invoice that are asked for, the oldest first; undefined: all of them. */
export function toProtoCreditNotes(
  stored: Stored<Invoice>,
  ids?: ReadonlySet<string>,
): ProtoCreditNote[] {
  return stored.state.creditNotes
    .filter(({ id }) => ids?.has(id) ?? true)
    .map((note) => toProtoCreditNote(note, stored));
}

function toProtoCreditNote(
  note: CreditNote,
  { state: invoice, tenant }: Stored<Invoice>,
): ProtoCreditNote {
  const { id, number, memo, metadata, issuedAt, lines } = note;
  const refunds = refundsOf(note, invoice);
  const total = totalOfNote(note);
  const tax = sumOf(lines.map(({ taxAmount }) => taxAmount));
  const descriptions = new Map(invoice.lineItems.map((line) => [line.id, line.description]));
  const times = refunds.map(({ createdAt, settledAt = createdAt }) => settledAt);
  return {
    ...{ id, number, memo, metadata, issuedAt, total, tax, ...splitOf(note, invoice) },
    organizationId: tenant.organizationId,
    customerId: invoice.customerId,
    invoiceId: invoice.id,
    currency: invoice.currency,
    reason: creditNoteReasons.valueOf(note.reason),
    subtotal: total - tax,
    lines: lines.map((line) => ({
      id: derivedId(tenant.environmentId, 'creditNoteLine', id, line.lineItemId),
      lineItemId: line.lineItemId,
      description: descriptions.get(line.lineItemId) ?? '',
      amount: line.total - line.taxAmount,
      taxAmount: line.taxAmount,
      total: line.total,
    })),
    refunds: refunds.map((refund) => toProtoRefund(refund, invoice)),
    ...taxesOf(note, invoice),
    updatedAt: times.reduce((latest, time) => (time > latest ? time : latest), issuedAt),
  };
}

// The rows of the invoice, with the credited parts of their lines.
function taxesOf(note: CreditNote, { finalization, lineItems }: Invoice) {
  const { seller, buyer, pricesIncludeTax, taxes } = toProtoFinalization(finalization);
  const rows = finalization?.taxes?.rows ?? [];
  const termsOf = ({ reason, name, country, state, percent }: TaxTerms) => ({
    ...{ reason, name, country, state, percent },
  });
  const credited = note.lines.map((line) => ({
    ...line,
    tax: lineItems.find(({ id }) => id === line.lineItemId)?.tax,
  }));
  return {
    ...{ seller, buyer, pricesIncludeTax },
    taxes: taxes.flatMap((shown, index) => {
      const row = rows[index];
      const lines = credited.filter(
        ({ tax }) =>
          row !== undefined && tax !== undefined && isSameData(termsOf(tax), termsOf(row)),
      );
      if (lines.length === 0) return [];
      const base = sumOf(lines.map(({ total, taxAmount }) => total - taxAmount));
      return [{ ...shown, base, amount: sumOf(lines.map(({ taxAmount }) => taxAmount)) }];
    }),
  };
}

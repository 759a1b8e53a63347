import type { Stored } from '@billing/chassis/aggregate';
import { derivedId } from '@billing/chassis/ids';
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
  const notes = stored.state.creditNotes.filter(({ id }) => ids?.has(id) ?? true);
  if (notes.length === 0) return [];
  const source = sourceOf(stored.state);
  return notes.map((note) => toProtoCreditNote(note, stored, source));
}

/** Facts of an invoice that all its credit notes show. */
type Source = ReturnType<typeof sourceOf>;

function sourceOf({ finalization, keptBuyer, lineItems }: Invoice) {
  const facts = toProtoFinalization(finalization, keptBuyer);
  const { seller, buyer, pricesIncludeTax, taxes } = facts;
  const rows = (finalization?.taxes?.rows ?? []).map(keyOfTerms);
  const lines = lineItems.map(({ id, description, tax }) => {
    const row = tax === undefined ? -1 : rows.indexOf(keyOfTerms(tax));
    return [id, { description, row }] as const;
  });
  return { parties: { seller, buyer, pricesIncludeTax }, taxes, lines: new Map(lines) };
}

function keyOfTerms({ reason, name, country, state, percent }: TaxTerms): string {
  return JSON.stringify([reason, name, country, state, percent]);
}

function toProtoCreditNote(
  note: CreditNote,
  { state: invoice, tenant }: Stored<Invoice>,
  source: Source,
): ProtoCreditNote {
  const { id, number, memo, metadata, issuedAt, lines } = note;
  const refunds = refundsOf(note, invoice);
  const total = totalOfNote(note);
  const tax = sumOf(lines.map(({ taxAmount }) => taxAmount));
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
      description: source.lines.get(line.lineItemId)?.description ?? '',
      amount: line.total - line.taxAmount,
      taxAmount: line.taxAmount,
      total: line.total,
    })),
    refunds: refunds.map((refund) => toProtoRefund(refund, invoice)),
    ...{ ...source.parties, taxes: taxesOf(note, source) },
    updatedAt: times.reduce((latest, time) => (time > latest ? time : latest), issuedAt),
  };
}

// The rows of the invoice, with the credited parts of their lines.
function taxesOf({ lines }: CreditNote, source: Source): ProtoCreditNote['taxes'] {
  const credited = Map.groupBy(lines, ({ lineItemId }) => source.lines.get(lineItemId)?.row);
  return source.taxes.flatMap((shown, index) => {
    const own = credited.get(index) ?? [];
    if (own.length === 0) return [];
    const base = sumOf(own.map(({ total, taxAmount }) => total - taxAmount));
    return [{ ...shown, base, amount: sumOf(own.map(({ taxAmount }) => taxAmount)) }];
  });
}

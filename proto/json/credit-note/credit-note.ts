import { z } from 'zod';
import type { CreditNote, CreditNoteLine } from '../../gen/billing/checkout/v1/credit_note';
import { creditNoteReasons } from '../../values/checkout';
import { creditTaxShape, toJsonCreditTax } from '../invoice-tax';
import { RefundJson, toJsonRefund } from './refund';
import {
  amount,
  currency,
  id,
  metadata,
  time,
  timestamps,
  toJsonAmount,
  toJsonMetadata,
  toJsonTime,
} from '../scalars';

const CreditNoteLineJson = z
  .object({
    id,
    lineItemId: id,
    description: z.string(),
    amount: z.int().meta({ description: 'Without tax.' }),
    taxAmount: z.int(),
    total: z.int().meta({ description: 'amount + taxAmount. Below 0 for a line below 0.' }),
  })
  .meta({ id: 'CreditNoteLine' });
type CreditNoteLineJson = z.infer<typeof CreditNoteLineJson>;

export const CreditNoteJson = z
  .object({
    id,
    organizationId: id,
    customerId: id,
    invoiceId: id,
    number: z
      .string()
      .nullable()
      .meta({ description: 'Null until it is taken.', examples: ['CN-000001'] }),
    status: z.enum(['ISSUED']),
    currency,
    reason: z.enum(['DUPLICATE', 'SERVICE', 'CANCELLATION', 'GOODWILL', 'OTHER', 'CHANGE']),
    memo: z.string().nullable(),
    subtotal: amount,
    tax: z.int().meta({ description: 'Sum of the taxes of the lines.' }),
    total: amount.meta({
      description: 'reduced + toBalance + refunded + external + unsettled.',
    }),
    reduced: amount.meta({ description: 'Part that lowered what was owed.' }),
    toBalance: amount.meta({ description: "Part added to the customer's balance." }),
    refunded: amount.meta({ description: 'Part refunded, or about to be.' }),
    external: amount.meta({ description: 'Part that the seller has returned in another way.' }),
    unsettled: amount.meta({ description: 'Part of failed refunds that are not settled.' }),
    ...creditTaxShape,
    lines: z.array(CreditNoteLineJson),
    refunds: z.array(RefundJson),
    issuedAt: time,
    metadata,
    ...timestamps,
  })
  .meta({ id: 'CreditNote' });
export type CreditNoteJson = z.infer<typeof CreditNoteJson>;

/** Credit note in REST responses. */
export function toJsonCreditNote(note: CreditNote): CreditNoteJson {
  return {
    id: note.id,
    organizationId: note.organizationId,
    customerId: note.customerId,
    invoiceId: note.invoiceId,
    number: note.number ?? null,
    status: 'ISSUED',
    currency: note.currency,
    reason: creditNoteReasons.nameOf(note.reason),
    memo: note.memo ?? null,
    subtotal: toJsonAmount(note.subtotal),
    tax: toJsonAmount(note.tax),
    total: toJsonAmount(note.total),
    reduced: toJsonAmount(note.reduced),
    toBalance: toJsonAmount(note.toBalance),
    refunded: toJsonAmount(note.refunded),
    external: toJsonAmount(note.external),
    unsettled: toJsonAmount(note.unsettled),
    ...toJsonCreditTax(note),
    lines: note.lines.map(toJsonLine),
    refunds: note.refunds.map(toJsonRefund),
    issuedAt: toJsonTime(note.issuedAt),
    metadata: toJsonMetadata(note.metadata),
    createdAt: toJsonTime(note.issuedAt),
    updatedAt: toJsonTime(note.updatedAt),
  };
}

function toJsonLine(line: CreditNoteLine): CreditNoteLineJson {
  return {
    id: line.id,
    lineItemId: line.lineItemId,
    description: line.description,
    amount: toJsonAmount(line.amount),
    taxAmount: toJsonAmount(line.taxAmount),
    total: toJsonAmount(line.total),
  };
}

import { z } from 'zod';
import type { Balance, BalanceEntry } from '../gen/billing/checkout/v1/balance';
import { balanceEntryKinds } from '../values/checkout';
import { currency, id, metadata, time, toJsonAmount, toJsonMetadata, toJsonTime } from './scalars';

export const BalanceJson = z
  .object({
    customerId: id,
    currency,
    // Only manual entries are limited: the return of a balance may exceed the largest amount.
    balance: z
      .int()
      .min(0)
      .meta({
        description: "Money owed to the customer, in the currency's smallest unit.",
        examples: [2900],
      }),
    updatedAt: time,
  })
  .meta({ id: 'Balance' });
export type BalanceJson = z.infer<typeof BalanceJson>;

export const BalanceEntryJson = z
  .object({
    id,
    customerId: id,
    currency,
    amount: z.int().meta({
      description: "In the currency's smallest unit. Above 0: more is owed to the customer.",
      examples: [-549],
    }),
    balanceAfter: z.int().min(0).meta({ description: 'Sum of the entries up to this one.' }),
    sequence: z.int().min(1).meta({ description: 'Counts the entries of a balance.' }),
    kind: z.enum([
      'ADJUSTMENT',
      'OVERPAYMENT',
      'CREDIT_NOTE',
      'REFUND_REPLACED',
      'APPLIED',
      'PAYMENT',
      'RETURNED',
    ]),
    invoiceId: id.nullable(),
    creditNoteId: id.nullable(),
    refundId: id.nullable(),
    description: z.string().nullable(),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'BalanceEntry' });
export type BalanceEntryJson = z.infer<typeof BalanceEntryJson>;

/** Balance in REST responses. */
export function toJsonBalance(balance: Balance): BalanceJson {
  return {
    customerId: balance.customerId,
    currency: balance.currency,
    balance: toJsonAmount(balance.balance),
    updatedAt: toJsonTime(balance.updatedAt),
  };
}

/** Balance entry in REST responses. */
export function toJsonBalanceEntry(entry: BalanceEntry): BalanceEntryJson {
  return {
    id: entry.id,
    customerId: entry.customerId,
    currency: entry.currency,
    amount: toJsonAmount(entry.amount),
    balanceAfter: toJsonAmount(entry.balanceAfter),
    sequence: toJsonAmount(entry.sequence),
    kind: balanceEntryKinds.nameOf(entry.kind),
    invoiceId: entry.invoiceId ?? null,
    creditNoteId: entry.creditNoteId ?? null,
    refundId: entry.refundId ?? null,
    description: entry.description ?? null,
    metadata: toJsonMetadata(entry.metadata),
    createdAt: toJsonTime(entry.createdAt),
  };
}

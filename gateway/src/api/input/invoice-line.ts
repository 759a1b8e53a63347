import { z } from 'zod';
import { type OneOffFields, oneOffProblems } from '@billing/kernel/input/one-off-invoice';
import { AMOUNT_MAX } from '@billing/kernel/money';
import { decimal, rate } from './decimal-input';
import { metadata, optional, time } from './input';

const amountMax = Number(AMOUNT_MAX);
/** A line of a one-off invoice in a request body. */
export const line = z.object({
  description: z.string().max(500),
  quantity: optional(decimal).meta({ description: 'Above 0. Defaults to 1.' }),
  amount: optional(z.int().min(-amountMax).max(amountMax)).meta({
    description: "In the currency's smallest unit; may be negative. Instead of `unitAmount`.",
  }),
  unitAmount: optional(rate).meta({
    description: 'Multiplied by the quantity and rounded half up. Instead of `amount`.',
  }),
  taxCategory: optional(z.string()).meta({
    description: 'Decides the tax rate. Defaults to `standard`; lines in `exempt` are never taxed.',
  }),
  periodStart: optional(time),
  periodEnd: optional(time),
  metadata: optional(metadata),
});
type LineInput = z.infer<typeof line>;

/** Problems of a one-off invoice, for the fields that were sent in the right shape. */
export function problemsOfInvoice({
  lines: sent,
  ...fields
}: Omit<OneOffFields, 'lines'> & { readonly lines?: readonly LineInput[] | undefined }) {
  const read = sent?.map((one) => ({ ...one, amount: toAmount(one.amount) }));
  return oneOffProblems({ ...fields, lines: read });
}

/** Reads a line of a body. */
export function toProtoLine({ quantity = '1', amount: sent, ...fields }: LineInput) {
  return { ...fields, quantity, amount: toAmount(sent) };
}

/** Reads an amount of a body. */
export function toAmount(sent: number | undefined): bigint | undefined {
  return sent === undefined ? undefined : BigInt(sent);
}

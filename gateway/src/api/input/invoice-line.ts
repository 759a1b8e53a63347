import { z } from 'zod';
import {
  type OneOffFields,
  type OneOffLineFields,
  oneOffProblems,
} from '@billing/kernel/input/one-off-invoice';
import type { Parts } from '@billing/kernel/input-problems';
import { AMOUNT_MAX } from '@billing/kernel/money';
import { decimal, rate } from './decimal-input';
import { type FieldRules, isSent, sentElement, type Sound } from './field-rules';
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

interface InvoiceInput extends Omit<OneOffFields, 'lines'> {
  readonly lines?: LineInput[] | undefined;
}

/** Problems of a one-off invoice, for the parts that were sent in the right shape. */
export const problemsOfInvoice: FieldRules<InvoiceInput> = (
  { lines: read, ...fields },
  { wrong, sent },
) => {
  const lines = read?.map((one, index) => lineOf(one, sentElement(sent.lines, index)));
  const found = oneOffProblems({ ...fields, lines });
  if (!wrong.has('lines')) return found;
  // The number of lines is reported already, and their total is unknown.
  return { ...found, lines: (found.lines ?? []).filter((problem) => /^\d/u.test(problem)) };
};

// An amount or a rate of the wrong shape counts as 0, since it was sent.
function lineOf(
  line: Sound<LineInput>,
  sent: Readonly<Record<string, unknown>>,
): Parts<OneOffLineFields> {
  const { amount = isSent(sent.amount) ? 0 : undefined } = line;
  const { unitAmount = isSent(sent.unitAmount) ? '0' : undefined } = line;
  return { ...line, amount: toAmount(amount), unitAmount };
}

/** Reads a line of a body. */
export function toProtoLine({ quantity = '1', amount: sent, ...fields }: LineInput) {
  return { ...fields, quantity, amount: toAmount(sent) };
}

/** Reads an amount of a body. */
export function toAmount(sent: number | undefined): bigint | undefined {
  return sent === undefined ? undefined : BigInt(sent);
}

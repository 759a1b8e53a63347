import type { CreditNote, Dispute, Refund } from '../../resources/credit/credit-note';
import { type Invoice, isOwed, outstandingOf } from '../../resources/invoice/invoice';
import { typedAmount } from '../../parts/text/amount';

/** Line of an invoice with the part of its total that can still be credited. */
export interface CreditableLine {
  readonly id: string;
  readonly description: string;
  /** With tax; below 0 for a line below 0. */
  readonly left: number;
}

/** Ways to say how much is credited. */
export type CreditScope = 'ALL' | 'AMOUNT' | 'LINES';

/** Credit note as it is typed; amounts are in major units, with tax. */
export interface CreditDraft {
  readonly scope: CreditScope;
  readonly amount: string;
  /** Typed amounts of the chosen lines, by line id. */
  readonly lines: Readonly<Record<string, string>>;
}

type Credited = Pick<CreditNote, 'lines'>;

/** Lines that are not credited in full. */
export function creditableLines(
  { lineItems }: Pick<Invoice, 'lineItems'>,
  notes: readonly Credited[],
): readonly CreditableLine[] {
  const credited = new Map<string, number>();
  for (const { lineItemId, total } of notes.flatMap(({ lines }) => lines)) {
    credited.set(lineItemId, (credited.get(lineItemId) ?? 0) + total);
  }
  return lineItems
    .map(({ id, description, total }) => ({
      ...{ id, description },
      left: total - (credited.get(id) ?? 0),
    }))
    .filter(({ left }) => left !== 0);
}

/** Amounts of a draft for the API; text that is no amount stays as typed. */
export function amountsOf(
  { scope, amount, lines }: CreditDraft,
  { creditable, currency }: { creditable: readonly CreditableLine[]; currency: string },
) {
  if (scope === 'ALL') return {};
  if (scope === 'AMOUNT') return { amount: typedAmount(amount, currency) };
  return {
    lines: creditable
      .filter(({ id }) => Object.hasOwn(lines, id))
      .map(({ id: lineItemId, left }) => {
        // The amount of a line below 0 cannot be typed: all of it is credited.
        if (left < 0) return { lineItemId };
        return { lineItemId, amount: typedAmount(lines[lineItemId] ?? '', currency) };
      }),
  };
}

/** Total of a draft; undefined while an amount cannot be read or is more than what is left. */
export function creditTotal(
  draft: CreditDraft,
  { creditable, currency }: { creditable: readonly CreditableLine[]; currency: string },
): number | undefined {
  const left = creditable.reduce((sum, line) => sum + line.left, 0);
  const chosen = chosenAmounts(draft, { creditable, currency });
  if (chosen.some((amount) => typeof amount !== 'number')) return undefined;
  const total = chosen.reduce<number>((sum, amount) => sum + Number(amount), 0);
  return total >= 1 && total <= left ? total : undefined;
}

function chosenAmounts(
  { scope, amount, lines }: CreditDraft,
  { creditable, currency }: { creditable: readonly CreditableLine[]; currency: string },
): readonly (number | string)[] {
  if (scope === 'ALL') return creditable.map(({ left }) => left);
  if (scope === 'AMOUNT') return [typedAmount(amount, currency)];
  return creditable
    .filter((line) => Object.hasOwn(lines, line.id))
    .map((line) => (line.left < 0 ? line.left : typedAmount(lines[line.id] ?? '', currency)));
}

/** Parts of a credit note: what lowers the outstanding amount, and the rest. */
export function splitOf(
  total: number,
  invoice: Parameters<typeof outstandingOf>[0] & Pick<Invoice, 'status'>,
): { readonly reduced: number; readonly rest: number } {
  const outstanding = isOwed(invoice) ? outstandingOf(invoice) : 0;
  const reduced = Math.min(outstanding, total);
  return { reduced, rest: total - reduced };
}

/** Amount that can still be refunded to the payments of an invoice. */
export function refundableOf(
  { payments }: Pick<Invoice, 'payments'>,
  refunds: readonly Pick<Refund, 'paymentId' | 'status' | 'amount'>[],
  disputes: readonly Pick<Dispute, 'paymentId' | 'status'>[],
): number {
  return payments
    .filter(({ status, provider }) => status === 'SUCCEEDED' && isProvider(provider))
    .filter((payment) => !disputes.some((one) => isBlocking(one, payment.id)))
    .reduce((sum, { id: paymentId, amount, overpayment }) => {
      const back = refunds
        .filter((one) => one.paymentId === paymentId && isCounted(one.status))
        .reduce((all, one) => all + one.amount, 0);
      return sum + Math.max(0, amount - overpayment - back);
    }, 0);
}

function isProvider(provider: string): boolean {
  return provider !== 'external' && provider !== 'balance';
}

function isBlocking(
  { paymentId, status }: Pick<Dispute, 'paymentId' | 'status'>,
  id: string,
): boolean {
  return paymentId === id && status !== 'WON';
}

function isCounted(status: Refund['status']): boolean {
  return status === 'PENDING' || status === 'SUCCEEDED';
}

import type { Invoice } from '../invoice';

/**
 * Month (UTC, `2026-11`) of the latest event of an invoice that a report of taxes or payments
 * counts: its finalization, its void, a payment, a credit note, a refund, a dispute. Empty: none so
 * far. Null: unknown, because the finalization of an invoice of an earlier release is.
 */
export function movedMonthOf(
  invoice: Pick<
    Invoice,
    'finalization' | 'voidedAt' | 'payments' | 'creditNotes' | 'refunds' | 'disputes'
  >,
): string | null {
  const { finalization, voidedAt, payments, creditNotes, refunds, disputes } = invoice;
  if (finalization === undefined) return null;
  const times = [
    finalization.at,
    voidedAt,
    ...payments.map(({ endedAt }) => endedAt),
    ...creditNotes.map(({ issuedAt }) => issuedAt),
    ...refunds.map(({ settledAt }) => settledAt),
    ...disputes.map(({ closedAt }) => closedAt),
  ].flatMap((time) => time ?? []);
  return times.length === 0 ? '' : monthOf(new Date(Math.max(...times.map(Number))));
}

/** Filters of the invoices that a report since an instant reads: those moved since its month. */
export function movedSince(
  since: Date,
  { environmentId }: { readonly environmentId: string },
): Readonly<Record<string, unknown>>[] {
  const shown = { environmentId, isTombstone: false };
  return [
    { ...shown, movedMonth: { $gte: monthOf(since) } },
    { ...shown, movedMonth: null, updatedAt: { $gte: since } },
  ];
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

import { only, type Transition, unchanged } from '@billing/kernel/transition';
import {
  type Attempt,
  type AttemptOrigin,
  begin,
  type Claim,
  type PayerPresence,
  type RecordedPayment,
  resumeAt,
} from './attempt';
import { type Invoice, type InvoiceRecord, isOwed } from './invoice';

const noPayer: PayerPresence = { callId: undefined, returnUrl: undefined };

/**
 * Puts a new attempt in the invoice's slot. The attempt uses up the invoice's authorized payment.
 */
export function claimSlot(
  invoice: Invoice,
  claim: Claim,
  {
    origin,
    retry,
    recorded,
    presence = noPayer,
  }: {
    readonly origin: AttemptOrigin;
    readonly retry?: number | undefined;
    readonly recorded?: RecordedPayment | undefined;
    readonly presence?: PayerPresence;
  },
): Invoice {
  const { callId, returnUrl } = presence;
  const number = lastAttemptNumber(invoice) + 1;
  const attempt: Attempt = begin(number, claim, {
    ...{ origin, retry, recorded },
    ...{ callId, returnUrl },
  });
  // A payment that was authorized while no provider was configured waits until it can be captured.
  const authorizedTransactionId =
    origin === 'COLLECTION' ? undefined : invoice.authorizedTransactionId;
  return { ...invoice, authorizedTransactionId, attempt };
}

/** Claims an attempt with another saved method. */
export function withMethod(claim: Claim, paymentMethodId: string): Claim {
  const source = { kind: 'METHOD', paymentMethodId } as const;
  return { ...claim, source, methodId: paymentMethodId, becomesDefault: false };
}

/**
 * Number of the latest finished attempt, 0 before the first. Numbering continues after old payments
 * are dropped from the list.
 */
export function lastAttemptNumber({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.at(-1)?.number ?? 0;
}

/**
 * True if a worker is to continue the attempt in the slot: an invoice to be written off, or that is
 * charged once, does not wait for its payer.
 */
export function needsWorker({
  attempt,
  ended,
  status,
  isChargedOnce = false,
}: Pick<Invoice, 'attempt' | 'ended' | 'status' | 'isChargedOnce'>): boolean {
  if (attempt === undefined) return false;
  return (
    attempt.status === 'PENDING' ||
    (status === 'OPEN' && (ended === 'WRITTEN_OFF' || isChargedOnce))
  );
}

/**
 * Claims an attempt whose lease has expired. One worker wins this write and resumes the attempt,
 * all others leave it alone. So a provider that does not answer is asked once per lease, by one
 * worker.
 */
export function takeOver(record: InvoiceRecord, realNow: Date): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt === undefined) return unchanged(record);
  const { attempt } = record;
  if (!needsWorker(record) || resumeAt(attempt) > realNow) return unchanged(record);
  return only({ ...record, attempt: { ...attempt, claimedAt: realNow } });
}

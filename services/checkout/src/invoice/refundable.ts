import { DomainError } from '@billing/kernel/domain-error';
import { sumOf } from '@billing/kernel/money';
import { balanceProvider, externalProvider } from './attempt';
import type { Invoice, Payment } from './invoice';
import { isHeld, type Refund } from './credit/credit';

// Long enough for a provider to answer; afterwards another worker may resume a refund.
const resumeAfterMs = 30_000;

/** Amount that can be refunded of a payment at a provider; 0 for any other payment. */
export function refundableOf(
  payment: Payment,
  { refunds, disputes }: Pick<Invoice, 'refunds' | 'disputes'>,
): bigint {
  const { id, status, amount, overpayment } = payment;
  if (status !== 'SUCCEEDED' || !isCharge(payment)) return 0n;
  const isDisputed = disputes.some((one) => one.paymentId === id && one.status !== 'WON');
  if (isDisputed) return 0n;
  const held = refunds.filter(
    (refund) => refund.paymentId === id && refund.isOfOverpayment !== true && isHeld(refund),
  );
  const left = amount - overpayment - sumOf(held.map((refund) => refund.amount));
  return left > 0n ? left : 0n;
}

/** True for a payment that a provider has charged. */
export function isCharge({ provider }: Pick<Payment, 'provider'>): boolean {
  return provider !== externalProvider && provider !== balanceProvider;
}

/** Error of a refund beyond what the payments allow. */
export function refundTooHigh(): DomainError {
  const message = 'More than what can be refunded';
  return new DomainError('failed_precondition', 'REFUND_TOO_HIGH', message);
}

type Credited = Pick<Invoice, 'refunds' | 'creditNotes'>;

/** Real time from which any worker may resume refunds that were not sent; undefined: none. */
export function refundsResumeAt(invoice: Credited): Date | undefined {
  return earliest(invoice.refunds.map((refund) => resumeAtOf(refund, invoice)));
}

/**
 * Real time from which any worker may resume the refund; undefined if no worker has to, or none may
 * until its credit note has a number: the note is announced first.
 */
export function resumeAtOf(
  { status, claimedAt, creditNoteId }: Refund,
  { creditNotes }: Credited,
): Date | undefined {
  if (status !== 'PENDING' || claimedAt === undefined) return undefined;
  const note = creditNotes.find(({ id }) => id === creditNoteId);
  if (creditNoteId !== undefined && note?.number === undefined) return undefined;
  return new Date(claimedAt.getTime() + resumeAfterMs);
}

/** Environment time at which the provider is asked for a refund in progress; undefined: never. */
export function refundsLookAt({ refunds }: Pick<Invoice, 'refunds'>): Date | undefined {
  return earliest(refunds.map(({ lookAt }) => lookAt));
}

/** The earliest of the given times. */
export function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  return times.reduce(
    (first, time) => (time !== undefined && (first === undefined || time < first) ? time : first),
    undefined,
  );
}

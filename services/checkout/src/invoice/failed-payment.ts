import type { Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { type Invoice, type InvoiceRecord, isVerification, type Payment } from './invoice';
import { hasNoChargeableMethod, type MethodChoice, nextRetry } from './method-choice';
import type { ChargeInitiator, InvoiceEvent } from './announcement';

/** Facts of a failed attempt that its event needs. */
interface FailedAttempt {
  readonly attempt: Attempt;
  /** Methods for automatic attempts. */
  readonly methods: MethodChoice;
  /** True if the attempt was canceled because another action needed the slot. */
  readonly isCanceled?: boolean | undefined;
}

/**
 * Adds the event of a failed charge. Attempts that are no failure of the customer's announce
 * nothing: a verification, one canceled for another, one that the provider cannot take, and a
 * balance that was too low.
 */
export function withFailedPayment(
  transition: Transition<InvoiceRecord>,
  payment: Payment,
  { attempt, methods, isCanceled = false }: FailedAttempt,
): Transition<InvoiceRecord> {
  const { state, events, commands } = transition;
  const isOfOther = payment.decline === 'PROVIDER' || attempt.source.kind === 'BALANCE';
  if (state.isTombstone || isCanceled || isOfOther || isVerification(payment)) return transition;
  const failed: InvoiceEvent = {
    type: 'invoice.payment_failed',
    data: {
      payment: payment.number,
      attempt: Math.max(1, nextRetry(state.payments.filter((each) => isUpTo(each, payment)))),
      initiator: initiatorOf(attempt),
      collection: progressOf(state),
      nextAttemptAt: nextAttemptOf(state, methods),
    },
  };
  return { state, events: [...events, failed], commands };
}

function isUpTo({ number }: Payment, last: Payment): boolean {
  return number <= last.number;
}

// Pages have an address to which the payer returns; calls of the API have none.
function initiatorOf({ origin, returnUrl }: Attempt): ChargeInitiator {
  if (origin === 'COLLECTION') return 'SCHEDULE';
  if (origin === 'NEW_DEFAULT') return 'NEW_METHOD';
  return returnUrl === undefined ? 'CALLER' : 'PAYER';
}

function progressOf({ attempt, status }: Invoice) {
  if (attempt !== undefined) return 'TRYING_OTHER';
  return status === 'UNCOLLECTIBLE' ? 'ENDED' : 'WAITING';
}

function nextAttemptOf(invoice: Invoice, methods: MethodChoice): Date | undefined {
  const { status, collectionMethod, attempt, payments, collectAt } = invoice;
  const isAutomatic = status === 'OPEN' && collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isAwaited = isAutomatic && attempt === undefined;
  return isAwaited && !hasNoChargeableMethod(payments, methods) ? collectAt : undefined;
}

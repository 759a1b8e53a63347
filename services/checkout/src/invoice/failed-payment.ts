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
 * balance that was too low. The only charge of a change is never canceled for another: a challenge
 * without a payer is its failure.
 */
export function withFailedPayment(
  transition: Transition<InvoiceRecord>,
  payment: Payment,
  { attempt, methods, isCanceled = false }: FailedAttempt,
): Transition<InvoiceRecord> {
  const { state, events, commands } = transition;
  const isOfOther = payment.decline === 'PROVIDER' || attempt.source.kind === 'BALANCE';
  if (state.isTombstone || isOfOther || isVerification(payment)) return transition;
  if (isCanceled && !isOnlyCharge(state, attempt)) return transition;
  const failed: InvoiceEvent = {
    type: 'invoice.payment_failed',
    data: {
      payment: payment.number,
      attempt: Math.max(1, nextRetry(state.payments.filter((each) => isUpTo(each, payment)))),
      initiator: initiatorOf(state, attempt),
      collection: progressOf(state),
      nextAttemptAt: nextAttemptOf(state, methods),
    },
  };
  return { state, events: [...events, failed], commands };
}

function isUpTo({ number }: Payment, last: Payment): boolean {
  return number <= last.number;
}

// True for the charge of a change that is paid first.
function isOnlyCharge({ isChargedOnce }: Invoice, { origin }: Attempt): boolean {
  return isChargedOnce === true && origin === 'COLLECTION';
}

// A change that is paid first is charged for the call that asks for it. Pages have an address to
// which the payer returns; calls of the API have none.
function initiatorOf(invoice: Invoice, attempt: Attempt): ChargeInitiator {
  const { origin, returnUrl } = attempt;
  if (origin === 'COLLECTION') return isOnlyCharge(invoice, attempt) ? 'CALLER' : 'SCHEDULE';
  if (origin === 'NEW_DEFAULT') return 'NEW_METHOD';
  return returnUrl === undefined ? 'CALLER' : 'PAYER';
}

function progressOf({ attempt, status }: Invoice) {
  if (attempt !== undefined) return 'TRYING_OTHER';
  return status === 'OPEN' ? 'WAITING' : 'ENDED';
}

function nextAttemptOf(invoice: Invoice, methods: MethodChoice): Date | undefined {
  const { status, collectionMethod, attempt, payments, collectAt } = invoice;
  const isAutomatic = status === 'OPEN' && collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isAwaited = isAutomatic && attempt === undefined;
  return isAwaited && !hasNoChargeableMethod(payments, methods) ? collectAt : undefined;
}

import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { afterPayment, withOverpayment } from './after-payment';
import { attemptOfCall, checkOfNoSession, checkPayable } from './collection';
import { balanceProvider, externalProvider, type RecordedPayment } from './attempt';
import { claimSlot, lastAttemptNumber } from './attempt-slot';
import {
  type Invoice,
  type InvoiceRecord,
  outstandingOf,
  type Payment,
  paymentInProgress,
} from './invoice';
import { keptPayments, paymentsMax } from './kept-payments';
import type { MethodChoice } from './method-choice';
import { afterDueWork } from './retry-schedule';

/** Payment that a caller records, with the facts that were looked up before the decision. */
export interface Recording {
  /** Idempotency: the same call records one payment; undefined if the call has no such id. */
  readonly callId: string | undefined;
  /** Undefined: what is outstanding. */
  readonly amount: bigint | undefined;
  readonly details: RecordedPayment;
  /** True if the customer was deleted: their balance takes nothing any more. */
  readonly isCustomerDeleted?: boolean;
  /** Methods that the schedule may charge. */
  readonly methods: MethodChoice;
  readonly now: Date;
}

/**
 * Records money that the seller received elsewhere. Less than what is outstanding leaves status and
 * dates; what exceeds it goes to the customer's balance. A retried call changes nothing. Earlier
 * due work without a charge is applied first: an invoice whose dunning is over is paid as
 * UNCOLLECTIBLE.
 */
export function recordExternal(
  record: InvoiceRecord,
  recording: Recording & { readonly paymentIdOf: (attemptNumber: number) => string },
): Transition<InvoiceRecord> {
  if (isKnown(record, recording)) return unchanged(record);
  checkRecordable(record);
  checkSlot(record);
  return afterDueWork(record, recording, (invoice) => {
    const { callId, details, now, paymentIdOf } = recording;
    const outstanding = outstandingOf(invoice);
    const amount = recording.amount ?? outstanding;
    const isOverpaid = amount > outstanding;
    if (isOverpaid && recording.isCustomerDeleted === true) throw customerDeleted();
    const number = lastAttemptNumber(invoice) + 1;
    const payment: Payment = {
      ...{ id: paymentIdOf(number), number, amount, callId, recorded: details },
      provider: externalProvider,
      providerPaymentId: undefined,
      status: 'SUCCEEDED',
      ...{ failureCode: undefined, decline: undefined, methodId: undefined, charged: undefined },
      origin: 'RECORDED',
      retry: undefined,
      overpayment: isOverpaid ? amount - outstanding : 0n,
      ...{ createdAt: now, endedAt: now },
    };
    const payments = keptPayments([...invoice.payments, payment]);
    return withOverpayment(afterPayment({ ...invoice, payments }, { number, now }), payment);
  });
}

/**
 * Claims the slot for a payment from the customer's balance. `balance` is the amount that the
 * balance held before the decision; the attempt fails if less is left.
 */
export function claimBalance(
  record: InvoiceRecord,
  recording: Recording & { readonly balance: bigint; readonly claimedAt: Date },
): Transition<InvoiceRecord> {
  if (isKnown(record, recording)) return unchanged(record);
  checkRecordable(record);
  const { callId, details: recorded, balance, claimedAt, now } = recording;
  const outstanding = outstandingOf(record);
  const amount = recording.amount ?? (balance < outstanding ? balance : outstanding);
  if (amount > outstanding) throw invalidInput({ amount: ['More than what is outstanding'] });
  if (amount === 0n || amount > balance) throw balanceTooLow();
  checkSlot(record);
  const claim = {
    source: { kind: 'BALANCE', amount },
    ...{ methodId: undefined, provider: balanceProvider, now, claimedAt },
  } as const;
  const presence = { callId, returnUrl: undefined };
  return afterDueWork(record, recording, (invoice) =>
    only(claimSlot(invoice, claim, { origin: 'RECORDED', recorded, presence })),
  );
}

/** Throws unless payments may be recorded on the invoice, regardless of its slot. */
export function checkRecordable(record: InvoiceRecord): asserts record is Invoice {
  if (record.isTombstone) throw notFound('Invoice');
  checkPayable(record);
  checkOfNoSession(record);
  const successes = record.payments.filter(({ status }) => status === 'SUCCEEDED');
  if (successes.length >= paymentsMax) throw tooManyPayments();
}

/** Error of a payment for which the customer's balance does not suffice. */
export function balanceTooLow(): DomainError {
  return new DomainError('failed_precondition', 'BALANCE_TOO_LOW', 'Balance is too low');
}

/** Error of money for the balance of a deleted customer. */
export function customerDeleted(): DomainError {
  return new DomainError('failed_precondition', 'CUSTOMER_DELETED', 'Customer is deleted');
}

function isKnown(record: InvoiceRecord, { callId }: Recording): boolean {
  return !record.isTombstone && attemptOfCall(record, callId) !== undefined;
}

function checkSlot({ attempt }: Invoice): void {
  if (attempt !== undefined) throw paymentInProgress();
}

function tooManyPayments(): DomainError {
  return new DomainError('failed_precondition', 'TOO_MANY_PAYMENTS', 'Too many payments');
}

import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { type Refund, refundsMax, withoutOutcome } from '../invoice/credit/credit';
import { refundableOf, refundTooHigh, resumeAtOf } from '../invoice/refundable';
import { customerDeleted } from '../invoice/recorded-payment';
import type { Invoice, InvoiceRecord, Payment } from '../invoice/invoice';
import type { ProviderRefund, RefundOutcome } from '../provider/port/refund';

// A refund in progress at the provider is asked for again after this much environment time.
const lookEveryMs = 60 * 60 * 1000;

/** Idempotency key of a refund at the provider, the same however often the refund is resumed. */
export function refundKey({ id, attempt }: Pick<Refund, 'id' | 'attempt'>): string {
  return `refund:${id}:${String(attempt)}`;
}

/**
 * Records the state of a refund at its provider. A bank may return the money of a successful refund
 * later. Changes nothing if another try has begun or the refund was settled in another way.
 */
export function recordRefund(
  record: InvoiceRecord,
  {
    id,
    attempt,
    outcome,
    now,
  }: Pick<Refund, 'id' | 'attempt'> & { readonly outcome: RefundOutcome; readonly now: Date },
): Transition<InvoiceRecord> {
  const refund = record.isTombstone ? undefined : findRefund(record, id);
  if (refund?.attempt !== attempt) return unchanged(record);
  const isOpen = refund.status === 'PENDING';
  const isReturned = refund.status === 'SUCCEEDED' && outcome.status === 'FAILED';
  if (!isOpen && !isReturned) return unchanged(record);
  const { status, providerRefundId } = outcome;
  const isEnded = status !== 'PENDING';
  return withRefund(record, {
    ...refund,
    status,
    providerRefundId: providerRefundId ?? refund.providerRefundId,
    failureCode: status === 'FAILED' ? outcome.failureCode : undefined,
    claimedAt: undefined,
    lookAt: isEnded ? undefined : new Date(now.getTime() + lookEveryMs),
    settledAt: isEnded ? now : undefined,
  });
}

/**
 * Claims the refunds whose lease has expired. One worker wins this write and resumes them, all
 * others leave them alone.
 */
export function takeOverRefunds(record: InvoiceRecord, realNow: Date): Transition<InvoiceRecord> {
  if (record.isTombstone) return unchanged(record);
  const isExpired = (refund: Refund) => {
    const at = resumeAtOf(refund, record);
    return at !== undefined && at <= realNow;
  };
  if (!record.refunds.some(isExpired)) return unchanged(record);
  const refunds = record.refunds.map((refund) =>
    isExpired(refund) ? { ...refund, claimedAt: realNow } : refund,
  );
  return only({ ...record, refunds });
}

/** Way of settling a failed refund. */
export interface Settlement {
  readonly refundId: string;
  readonly to: 'PROVIDER' | 'BALANCE' | 'EXTERNAL';
  readonly reference: string | undefined;
  /** True if the invoice's customer was deleted: their balance takes nothing any more. */
  readonly isCustomerDeleted?: boolean;
  /** Idempotency: the same call settles once; undefined if the call has no such id. */
  readonly callId: string | undefined;
  /** Environment time. */
  readonly now: Date;
  /** Real time. */
  readonly realNow: Date;
}

/** Tries a failed refund again, or replaces it permanently. A retried call changes nothing. */
export function settleRefund(
  record: InvoiceRecord,
  { refundId, to, reference, isCustomerDeleted = false, callId, now, realNow }: Settlement,
): Transition<InvoiceRecord> {
  const refund = record.isTombstone ? undefined : findRefund(record, refundId);
  if (record.isTombstone || refund === undefined) throw notFound('Refund');
  if (callId !== undefined && refund.callId === callId) return unchanged(record);
  checkSettleable(refund);
  if (to === 'BALANCE' && isCustomerDeleted) throw customerDeleted();
  const settled = { ...refund, callId, reference };
  if (to !== 'PROVIDER') {
    const replaced = { ...settled, status: 'REPLACED', replacedBy: to, settledAt: now } as const;
    const { state, events, commands } = withRefund(record, replaced);
    const post = { type: 'creditRefund', payload: { refundId } };
    return { state, events, commands: to === 'BALANCE' ? [post, ...commands] : commands };
  }
  const payment = record.payments.find(({ id }) => id === refund.paymentId);
  if (payment === undefined || refundableOf(payment, record) < refund.amount) throw refundTooHigh();
  return withRefund(record, {
    ...settled,
    status: 'PENDING',
    attempt: refund.attempt + 1,
    ...{ failureCode: undefined, providerRefundId: undefined, settledAt: undefined },
    claimedAt: realNow,
  });
}

/**
 * Refunds what a charge has taken beyond the outstanding amount, because its customer was deleted
 * and has no balance any more. A repeat changes nothing. It may be one more refund than callers may
 * ask for.
 */
export function refundOverpayment(
  record: InvoiceRecord,
  {
    id,
    payment,
    now,
    realNow,
  }: {
    readonly id: string;
    readonly payment: Pick<Payment, 'id' | 'provider' | 'overpayment'>;
    readonly now: Date;
    readonly realNow: Date;
  },
): Transition<InvoiceRecord> {
  if (record.isTombstone || findRefund(record, id) !== undefined) return unchanged(record);
  const { id: paymentId, provider, overpayment: amount } = payment;
  const refund: Refund = {
    ...{ id, paymentId, provider, amount, isOfOverpayment: true, attempt: 1, status: 'PENDING' },
    ...withoutOutcome,
    ...{ claimedAt: realNow, createdAt: now },
  };
  return withRows({ ...record, refunds: [...record.refunds, refund] });
}

/**
 * Records the refunds in the list of a provider. One that we asked for has our key; any other was
 * made at the provider, or lost, and has no credit note.
 */
export function recordListed(
  record: InvoiceRecord,
  {
    payment,
    found,
    idOf,
    now,
  }: {
    readonly payment: Pick<Payment, 'id' | 'provider'>;
    readonly found: readonly ProviderRefund[];
    readonly idOf: (providerRefundId: string) => string;
    readonly now: Date;
  },
): Transition<InvoiceRecord> {
  if (record.isTombstone) return unchanged(record);
  let current: Transition<InvoiceRecord> = unchanged(record);
  for (const { key, providerRefundId, amount, outcome } of found) {
    const { state } = current;
    if (state.isTombstone) continue;
    const id = idOf(providerRefundId);
    const known = state.refunds.find((refund) => refund.id === id || refundKey(refund) === key);
    if (known !== undefined) {
      const recorded = recordRefund(state, { ...known, outcome, now });
      if (recorded.state !== state) current = recorded;
      continue;
    }
    // An earlier try of a refund of ours has failed. One of ours that the invoice does not have at
    // all was lost by a restore, with its credit note.
    const isEarlierTry = state.refunds.some((refund) => key?.includes(refund.id) === true);
    if (isEarlierTry || outcome.status === 'FAILED' || state.refunds.length >= refundsMax) continue;
    const refund: Refund = {
      ...{ id, paymentId: payment.id, provider: payment.provider, amount, attempt: 1 },
      ...withoutOutcome,
      ...{ status: 'SUCCEEDED', providerRefundId, createdAt: now, settledAt: now },
    };
    current = withRows({ ...state, refunds: [...state.refunds, refund] });
  }
  return current;
}

/** Refund of the invoice; undefined if it has none with the id. */
export function findRefund({ refunds }: Pick<Invoice, 'refunds'>, id: string): Refund | undefined {
  return refunds.find((refund) => refund.id === id);
}

/** Adds the command that copies what lists find the invoice's refunds and disputes by. */
export function withRows(invoice: Invoice): Transition<InvoiceRecord> {
  return { state: invoice, events: [], commands: [{ type: 'copyCreditRows', payload: {} }] };
}

function withRefund(record: InvoiceRecord, changed: Refund): Transition<InvoiceRecord> {
  if (record.isTombstone) return unchanged(record);
  const refunds = record.refunds.map((refund) => (refund.id === changed.id ? changed : refund));
  return withRows({ ...record, refunds });
}

function checkSettleable({ status, creditNoteId }: Refund): void {
  if (status !== 'FAILED') {
    const message = 'Refund has not failed';
    throw new DomainError('failed_precondition', 'REFUND_NOT_FAILED', message);
  }
  if (creditNoteId !== undefined) return;
  const message = 'Refund has no credit note';
  throw new DomainError('failed_precondition', 'REFUND_WITHOUT_CREDIT_NOTE', message);
}

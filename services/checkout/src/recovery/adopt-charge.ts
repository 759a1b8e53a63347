import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { claimSlot, lastAttemptNumber } from '../invoice/attempt-slot';
import { type InvoiceRecord, isOwed, outstandingOf } from '../invoice/invoice';
import type { ProviderCharge } from '../provider/port/provider-charge';

/** Reason why a successful charge pays no invoice. */
export type Mismatch = 'NO_INVOICE' | 'NOT_OWED' | 'OTHER_AMOUNT' | 'NOT_RECORDED';

/** A charge, and the times of its record. */
interface Adoption {
  readonly charge: Pick<ProviderCharge, 'provider' | 'key' | 'amount' | 'currency'>;
  /** Environment time. */
  readonly now: Date;
  /** Real time. */
  readonly claimedAt: Date;
}

/**
 * Puts the attempt of a successful charge that the invoice does not know in its slot: a worker asks
 * the provider for the charge by its key and records it. Changes nothing on an invoice that is not
 * owed, owes another amount, or has another attempt.
 */
export function adoptCharge(
  record: InvoiceRecord,
  { charge, now, claimedAt }: Adoption,
): Transition<InvoiceRecord> {
  const number = attemptNumberOf(charge);
  if (!isOwed(record) || record.attempt !== undefined) return unchanged(record);
  if (number === undefined || number <= lastAttemptNumber(record)) return unchanged(record);
  if (outstandingOf(record) !== charge.amount || record.currency !== charge.currency) {
    return unchanged(record);
  }
  const { provider } = charge;
  const claim = {
    source: { kind: 'NONE' },
    methodId: undefined,
    provider,
    now,
    claimedAt,
  } as const;
  const claimed = claimSlot(record, claim, { origin: 'PAYER' });
  if (claimed.attempt === undefined) throw new Error(`Invoice ${record.id} has no attempt`);
  return only({ ...claimed, attempt: { ...claimed.attempt, number } });
}

/** True if the invoice has recorded a payment of the provider as successful. */
export function isRecorded(record: InvoiceRecord | undefined, providerPaymentId: string): boolean {
  if (record === undefined || record.isTombstone) return false;
  return record.payments.some(
    (payment) => payment.providerPaymentId === providerPaymentId && payment.status === 'SUCCEEDED',
  );
}

/** Reason why a successful charge is not recorded on its invoice. */
export function mismatchOf(
  record: InvoiceRecord | undefined,
  { amount, currency }: Pick<ProviderCharge, 'amount' | 'currency'>,
): Mismatch {
  if (record === undefined || record.isTombstone) return 'NO_INVOICE';
  if (!isOwed(record)) return 'NOT_OWED';
  const isSame = outstandingOf(record) === amount && record.currency === currency;
  return isSame ? 'NOT_RECORDED' : 'OTHER_AMOUNT';
}

/** The number of an attempt follows the id of its invoice in the key. */
function attemptNumberOf({ key }: Pick<ProviderCharge, 'key'>): number | undefined {
  const number = Number(key.split(':').at(-1));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

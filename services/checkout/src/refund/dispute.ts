import { type Transition, unchanged } from '@billing/kernel/transition';
import { type Dispute, disputesMax } from '../invoice/credit/credit';
import type { InvoiceRecord, Payment } from '../invoice/invoice';
import type { ProviderDispute } from '../provider/port/refund';
import { withRows } from './refund';

/**
 * Records the state of a dispute at its provider. Invoice and subscription stay as they are: the
 * seller decides. A dispute that was closed is not opened again: such a reading is older than the
 * one that closed it, and was recorded late.
 */
export function recordDispute(
  record: InvoiceRecord,
  {
    id,
    payment,
    found,
    now,
  }: {
    readonly id: string;
    readonly payment: Pick<Payment, 'id' | 'provider'>;
    readonly found: ProviderDispute;
    readonly now: Date;
  },
): Transition<InvoiceRecord> {
  if (record.isTombstone) return unchanged(record);
  const known = record.disputes.find((dispute) => dispute.id === id);
  const { status, amount, reason, evidenceDueBy, providerDisputeId } = found;
  const isSame =
    known?.status === status &&
    known.amount === amount &&
    known.evidenceDueBy?.getTime() === evidenceDueBy?.getTime();
  const isOlder = known !== undefined && known.status !== 'OPEN' && status === 'OPEN';
  if (isSame || isOlder || (known === undefined && record.disputes.length >= disputesMax)) {
    return unchanged(record);
  }
  const isClosed = status !== 'OPEN';
  const dispute: Dispute = {
    ...{ id, paymentId: payment.id, provider: payment.provider, providerDisputeId },
    ...{ status, amount, reason, evidenceDueBy },
    openedAt: known?.openedAt ?? now,
    closedAt: isClosed ? (known?.closedAt ?? now) : undefined,
  };
  const others = record.disputes.filter((one) => one !== known);
  return withRows({ ...record, disputes: [...others, dispute] });
}

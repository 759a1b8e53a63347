import { z } from 'zod';
import { type Dispute, type Refund, RefundSettlement } from '../../gen/billing/checkout/v1/refund';
import { disputeStatuses, refundSettlements, refundStatuses } from '../../values/checkout';
import {
  amount,
  currency,
  id,
  time,
  toJsonAmount,
  toJsonOptionalTime,
  toJsonTime,
} from '../scalars';

const text = z.string().nullable();

export const RefundJson = z
  .object({
    id,
    creditNoteId: id.nullable().meta({
      description:
        'Null for a refund made at the provider, or of an overpayment of a deleted customer.',
    }),
    invoiceId: id,
    paymentId: id,
    customerId: id,
    amount,
    currency,
    status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED', 'REPLACED']),
    failureCode: text,
    attempt: z.int().min(1).meta({ description: 'Number of the try at the provider.' }),
    provider: z.string(),
    providerRefundId: text,
    replacedBy: z.enum(['BALANCE', 'EXTERNAL']).nullable(),
    reference: text,
    createdAt: time,
    settledAt: time.nullable(),
  })
  .meta({ id: 'Refund' });
export type RefundJson = z.infer<typeof RefundJson>;

export const DisputeJson = z
  .object({
    id,
    invoiceId: id,
    paymentId: id,
    customerId: id,
    amount,
    currency,
    reason: z.string().meta({ examples: ['fraudulent'] }),
    status: z.enum(['OPEN', 'WON', 'LOST']),
    provider: z.string(),
    providerDisputeId: z.string(),
    evidenceDueBy: time.nullable(),
    openedAt: time,
    closedAt: time.nullable(),
  })
  .meta({ id: 'Dispute' });
export type DisputeJson = z.infer<typeof DisputeJson>;

/** Refund in REST responses. */
export function toJsonRefund(refund: Refund): RefundJson {
  return {
    id: refund.id,
    creditNoteId: refund.creditNoteId ?? null,
    invoiceId: refund.invoiceId,
    paymentId: refund.paymentId,
    customerId: refund.customerId,
    amount: toJsonAmount(refund.amount),
    currency: refund.currency,
    status: refundStatuses.nameOf(refund.status),
    failureCode: refund.failureCode ?? null,
    attempt: refund.attempt,
    provider: refund.provider,
    providerRefundId: refund.providerRefundId ?? null,
    replacedBy: toJsonReplacement(refund),
    reference: refund.reference ?? null,
    createdAt: toJsonTime(refund.createdAt),
    settledAt: toJsonOptionalTime(refund.settledAt),
  };
}

/** Dispute in REST responses. */
export function toJsonDispute(dispute: Dispute): DisputeJson {
  return {
    id: dispute.id,
    invoiceId: dispute.invoiceId,
    paymentId: dispute.paymentId,
    customerId: dispute.customerId,
    amount: toJsonAmount(dispute.amount),
    currency: dispute.currency,
    reason: dispute.reason,
    status: disputeStatuses.nameOf(dispute.status),
    provider: dispute.provider,
    providerDisputeId: dispute.providerDisputeId,
    evidenceDueBy: toJsonOptionalTime(dispute.evidenceDueBy),
    openedAt: toJsonTime(dispute.openedAt),
    closedAt: toJsonOptionalTime(dispute.closedAt),
  };
}

function toJsonReplacement({ replacedBy }: Refund): RefundJson['replacedBy'] {
  if (replacedBy === RefundSettlement.REFUND_SETTLEMENT_UNSPECIFIED) return null;
  const name = refundSettlements.nameOf(replacedBy);
  if (name === 'PROVIDER') throw new Error('A refund is never replaced by its provider');
  return name;
}

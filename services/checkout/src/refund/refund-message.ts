import type { Stored } from '@billing/chassis/aggregate';
import type {
  Dispute as ProtoDispute,
  Refund as ProtoRefund,
} from '@billing/proto/billing/checkout/v1/refund';
import { disputeStatuses, refundSettlements, refundStatuses } from '@billing/proto/values/checkout';
import type { Dispute, Refund } from '../invoice/credit/credit';
import type { Invoice } from '../invoice/invoice';

type OfInvoice = Pick<Invoice, 'id' | 'customerId' | 'currency'>;

export function toProtoRefund(refund: Refund, invoice: OfInvoice): ProtoRefund {
  const { id, creditNoteId, paymentId, amount, failureCode, attempt, provider } = refund;
  const { providerRefundId, reference, createdAt, settledAt } = refund;
  return {
    ...{ id, creditNoteId, paymentId, amount, failureCode, attempt, provider },
    ...{ providerRefundId, reference, createdAt, settledAt },
    ...ofInvoice(invoice),
    status: refundStatuses.valueOf(refund.status),
    replacedBy: refundSettlements.valueOf(refund.replacedBy),
  };
}

export function toProtoDispute(dispute: Dispute, invoice: OfInvoice): ProtoDispute {
  return { ...dispute, ...ofInvoice(invoice), status: disputeStatuses.valueOf(dispute.status) };
}

/** Reads the proto forms of an invoice's parts; others than those of the ids may be left out. */
export type PartsOf<T> = (invoice: Stored<Invoice>, ids: ReadonlySet<string>) => readonly T[];

/** Proto forms of parts that were looked up by their invoices, in the order of the references. */
export function inOrder<T extends { readonly id: string }>(
  references: readonly { readonly id: string; readonly invoiceId: string }[],
  found: readonly Stored<Invoice | { readonly id: string; readonly isTombstone: true }>[],
  partsOf: PartsOf<T>,
): T[] {
  const ids = new Set(references.map(({ id }) => id));
  const parts = new Map(
    found.flatMap((stored) =>
      stored.state.isTombstone
        ? []
        : partsOf({ ...stored, state: stored.state }, ids).map((part) => [part.id, part] as const),
    ),
  );
  return references.flatMap(({ id }) => parts.get(id) ?? []);
}

function ofInvoice({ id: invoiceId, customerId, currency }: OfInvoice) {
  return { invoiceId, customerId, currency };
}

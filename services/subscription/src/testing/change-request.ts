import type { ChangeRequest } from '../lifecycle/check-change';

/** A change of the quantity to 3 that takes effect when it is asked for, without facts. */
export function aChangeRequest(parts: Partial<ChangeRequest> = {}): ChangeRequest {
  return {
    changeId: 'change',
    kind: 'UPDATE',
    resumeAt: null,
    wanted: { product: null, quantity: 3, discount: null },
    proration: 'PRORATE',
    collect: 'NOW',
    at: 'NOW',
    requirePayment: true,
    invoiceId: 'invoice-of-change',
    creditNoteIdOf: (invoiceId) => `note-${invoiceId}`,
    balanceRound: null,
    reservedRound: null,
    instant: null,
    metadata: {},
    facts: null,
    taxFacts: { buyer: null, taxCategory: null },
    ...parts,
  };
}

/** Filter of a list: shown invoices, by any of their fields. */
export function shownInvoices(filter: {
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly status?: string | undefined;
  readonly number?: string | undefined;
  readonly billingReason?: string | undefined;
  readonly issuedOnly?: boolean | undefined;
}): Record<string, unknown> {
  const { subscriptionId, customerId, status, number, billingReason, issuedOnly } = filter;
  return {
    isTombstone: false,
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...(customerId !== undefined && { customerId }),
    ...(status !== undefined && { status }),
    ...(number !== undefined && { number }),
    ...(billingReason !== undefined && { billingReason }),
    ...(issuedOnly === true && status === undefined && { status: { $ne: 'DRAFT' } }),
  };
}

/** Reason why the payment of an open invoice is at risk. */
export type RiskKind = 'PAYMENT_FAILED' | 'OVERDUE';

/** Filter of the open invoices that are at risk at `now`, for a reason or for any. */
export function invoicesAtRisk(kind: RiskKind | undefined, now: Date): Record<string, unknown> {
  const open = shownInvoices({ status: 'OPEN' });
  const risks = {
    PAYMENT_FAILED: { firstFailedAt: { $ne: null } },
    OVERDUE: { dueDate: { $lt: now } },
  };
  return kind === undefined ? { ...open, $or: Object.values(risks) } : { ...open, ...risks[kind] };
}

import {
  type BillingPeriod,
  periodAt,
  type Recurrence,
  trialEnd,
} from '@billing/kernel/billing-period';

/** Period of a session's invoice. It begins when the invoice is paid. */
export type PaidPeriod =
  | { readonly kind: 'INTERVAL'; readonly recurrence: Recurrence }
  | { readonly kind: 'TRIAL'; readonly days: number }
  /** ONE_TIME: the invoice has no periods. */
  | { readonly kind: 'NONE' };

/** The period that begins with a payment. */
export function periodFrom(paidPeriod: PaidPeriod, paidAt: Date): BillingPeriod | undefined {
  switch (paidPeriod.kind) {
    case 'INTERVAL':
      return periodAt(paidAt, paidPeriod.recurrence, 0);
    case 'TRIAL':
      return { start: paidAt, end: trialEnd(paidAt, paidPeriod.days) };
    case 'NONE':
      return undefined;
  }
}

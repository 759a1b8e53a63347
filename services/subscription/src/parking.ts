import { periodOf, type Subscription } from './subscription';

/** Beyond what no sound subscription is billed. */
export interface BillingLimits {
  /** Unpaid invoices; a document has room for so many. */
  readonly openInvoicesMax: number;
  /** Invoices whose periods start within one day. */
  readonly invoicesADayMax: number;
}

/** Which limit keeps a subscription from renewing. */
export type RenewalLimit = 'OPEN_INVOICES' | 'INVOICES_A_DAY';

/** Why people are called to look at a subscription: it renews no more, or it is not billed any more. */
export type ParkReason = RenewalLimit | 'USAGE_TOO_LARGE';

// A daily price that is sent as invoices has a month to be paid; a year and more of unpaid ones needs a person. No interval is shorter
// than a day: several periods that start on one are a fault, which must not charge anybody again and again.
export const billingLimits: BillingLimits = { openInvoicesMax: 500, invoicesADayMax: 4 };

const dayMs = 86_400_000;

/**
 * Why the next period must not be entered; null where nothing stands against it. It is asked anew with every write, so a subscription
 * goes on by itself once the reason is gone and anything about it changes: an invoice that is paid, or its metadata. Bills that come to
 * too much are another matter (held-bill.ts): they stop no period.
 */
export function parkReason(
  subscription: Subscription,
  { openInvoicesMax, invoicesADayMax }: BillingLimits = billingLimits,
): RenewalLimit | null {
  const { openInvoices, periodIndex } = subscription;
  if (openInvoices.length >= openInvoicesMax) return 'OPEN_INVOICES';
  const next = periodIndex === null ? 0 : periodIndex + 1;
  if (next < invoicesADayMax) return null;
  const startOf = (index: number) => periodOf(subscription, index).start.getTime();
  return startOf(next) - startOf(next - invoicesADayMax) < dayMs ? 'INVOICES_A_DAY' : null;
}

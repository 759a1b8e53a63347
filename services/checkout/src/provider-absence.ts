import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Invoice, InvoiceRecord } from './invoice';

/** The code of what is not charged because no payment provider is configured for a live environment. */
export const noProviderCode = 'no_payment_provider';

/** The invoice as a caller finds it who pays while no provider is configured: nothing is begun, and nothing counts as a failure. */
export function withoutProvider(invoice: Invoice, at: Date): Invoice {
  return { ...invoice, lastPaymentError: { code: noProviderCode, at } };
}

/** Puts collection off until a provider is configured. The dates of the retries stay. */
export function awaitProvider(invoice: Invoice, now: Date): Invoice {
  const awaitsProviderSince = invoice.awaitsProviderSince ?? now;
  return { ...withoutProvider(invoice, now), collectAt: undefined, awaitsProviderSince };
}

/** Has collection go on, once a provider is configured. */
export function resumeCollection(record: InvoiceRecord, now: Date): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || record.awaitsProviderSince === undefined) {
    return unchanged(record);
  }
  return only({ ...record, collectAt: now, awaitsProviderSince: undefined });
}

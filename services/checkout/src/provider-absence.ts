import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Claim } from './attempt';
import { claimSlot } from './attempt-slot';
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

/** Puts the capture of an authorised payment off until a provider is configured. The due date of the sent invoice stays. */
export function awaitCapture(invoice: Invoice, now: Date): Invoice {
  return { ...awaitProvider(invoice, now), collectAt: invoice.collectAt };
}

/**
 * Has collection go on, once a provider is configured. Of an invoice that is sent, only the payment that was authorised for it waits: the
 * claim captures it. While another attempt runs, it waits on.
 */
export function resumeCollection(record: InvoiceRecord, claim: Claim): Transition<InvoiceRecord> {
  if (record.status !== 'OPEN' || record.awaitsProviderSince === undefined) {
    return unchanged(record);
  }
  const resumed = { ...record, awaitsProviderSince: undefined };
  if (record.collectionMethod !== 'SEND_INVOICE') {
    return only({ ...resumed, collectAt: claim.now });
  }
  if (record.attempt !== undefined) return unchanged(record);
  return only(claimSlot(resumed, claim, { origin: 'COLLECTION', retry: 0 }));
}

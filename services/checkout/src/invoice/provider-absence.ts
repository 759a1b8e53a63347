import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Claim } from './attempt';
import { claimSlot } from './attempt-slot';
import { noProviderCode } from '../provider/port/decline';
import type { Invoice, InvoiceRecord } from './invoice';

/**
 * Invoice as returned to a caller who pays without a configured provider: nothing is begun, and
 * nothing counts as a failure.
 */
export function withoutProvider(invoice: Invoice, at: Date): Invoice {
  return { ...invoice, lastPaymentError: { code: noProviderCode, at } };
}

/** Postpones collection until a provider is configured. The retry dates stay. */
export function awaitProvider(invoice: Invoice, now: Date): Invoice {
  const awaitsProviderSince = invoice.awaitsProviderSince ?? now;
  return { ...withoutProvider(invoice, now), collectAt: undefined, awaitsProviderSince };
}

/**
 * Postpones the capture of an authorized payment until a provider is configured. The due date of
 * the sent invoice stays.
 */
export function awaitCapture(invoice: Invoice, now: Date): Invoice {
  return { ...awaitProvider(invoice, now), collectAt: invoice.collectAt };
}

/**
 * Resumes collection once a provider is configured. For a sent invoice only its authorized payment
 * waits; the claim captures it. While another attempt runs, the invoice keeps waiting.
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

import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';

/**
 * When an invoice was finalized; when it was created if it is a draft, or older than the former
 * instant.
 */
export function issueDateOf({
  finalizedAt,
  createdAt,
}: Pick<Invoice, 'finalizedAt' | 'createdAt'>): Date | undefined {
  return finalizedAt ?? createdAt;
}

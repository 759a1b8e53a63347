import { type Attempt, type AttemptOrigin, begin, type Claim, type PayerPresence } from './attempt';
import type { Invoice } from './invoice';

const noPayer: PayerPresence = { callId: undefined, returnUrl: undefined };

/**
 * Puts a new attempt in the invoice's slot. The attempt uses up the invoice's authorized payment.
 */
export function claimSlot(
  invoice: Invoice,
  claim: Claim,
  {
    origin,
    retry,
    presence = noPayer,
  }: {
    readonly origin: AttemptOrigin;
    readonly retry?: number | undefined;
    readonly presence?: PayerPresence;
  },
): Invoice {
  const { callId, returnUrl } = presence;
  const number = lastAttemptNumber(invoice) + 1;
  const attempt: Attempt = begin(number, claim, { origin, retry, callId, returnUrl });
  // A payment that was authorized while no provider was configured waits until it can be captured.
  const authorizedTransactionId =
    origin === 'COLLECTION' ? undefined : invoice.authorizedTransactionId;
  return { ...invoice, authorizedTransactionId, attempt };
}

/** Claims an attempt with another saved method. */
export function withMethod(claim: Claim, paymentMethodId: string): Claim {
  const source = { kind: 'METHOD', paymentMethodId } as const;
  return { ...claim, source, methodId: paymentMethodId, becomesDefault: false };
}

/**
 * Number of the latest finished attempt, 0 before the first. Numbering continues after old payments
 * are dropped from the list.
 */
export function lastAttemptNumber({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.at(-1)?.number ?? 0;
}

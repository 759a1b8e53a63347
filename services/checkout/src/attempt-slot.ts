import { type Attempt, type AttemptOrigin, begin, type Claim, type PayerPresence } from './attempt';
import type { Invoice } from './invoice';

const noPayer: PayerPresence = { callId: undefined, returnUrl: undefined };

/** The invoice with a fresh attempt in its slot. A payment that was authorised for it is spent by that. */
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
  // A payment that was authorised while no provider was configured waits until it can be captured.
  const authorizedTransactionId =
    origin === 'COLLECTION' ? undefined : invoice.authorizedTransactionId;
  return { ...invoice, authorizedTransactionId, attempt };
}

/** The claim of an attempt with another saved method. */
export function withMethod(claim: Claim, paymentMethodId: string): Claim {
  const source = { kind: 'METHOD', paymentMethodId } as const;
  return { ...claim, source, methodId: paymentMethodId, becomesDefault: false };
}

/** The number of the latest attempt that has ended; 0 before the first. Numbers go on where old payments have left the list. */
export function lastAttemptNumber({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.at(-1)?.number ?? 0;
}

import type { DeclineKind, FinalOutcome } from './payment-provider';

/** What the codes of failed payments say of the method; every code that an adapter gives stands here. */
const kinds = {
  card_declined: 'SOFT',
  insufficient_funds: 'SOFT',
  processing_error: 'SOFT',
  authentication_required: 'SOFT',
  no_payment_method: 'SOFT',
  no_payment_provider: 'SOFT',
  expired_card: 'HARD',
  lost_card: 'HARD',
  stolen_card: 'HARD',
  card_not_supported: 'HARD',
} as const satisfies Record<string, DeclineKind>;

export type DeclineCode = keyof typeof kinds;

/** A failed charge, with what its code says of the method. */
export function declined(
  failureCode: DeclineCode,
  providerPaymentId: string | undefined,
): Extract<FinalOutcome, { status: 'FAILED' }> {
  return { status: 'FAILED', failureCode, decline: kinds[failureCode], providerPaymentId };
}

import type { DeclineKind, FinalOutcome } from './payment-provider';

/** What the codes of failed payments say of the method; every code that an adapter gives stands here. */
const kinds = {
  card_declined: 'SOFT',
  insufficient_funds: 'SOFT',
  processing_error: 'SOFT',
  authentication_required: 'SOFT',
  no_payment_method: 'SOFT',
  expired_card: 'HARD',
  lost_card: 'HARD',
  stolen_card: 'HARD',
  pickup_card: 'HARD',
  fraudulent: 'HARD',
  invalid_account: 'HARD',
  card_not_supported: 'HARD',
  do_not_try_again: 'HARD',
  currency_not_supported: 'HARD',
  /** The provider does not take this amount, or cannot be told it exactly. */
  amount_not_supported: 'PROVIDER',
  no_payment_provider: 'PROVIDER',
  /** The provider no longer has the method, or not for this customer. */
  payment_method_unavailable: 'HARD',
  /** The authorised payment has paid something else, or is another customer's. */
  authorization_used: 'HARD',
  /**
   * A payment said to be authorised is unknown, of another amount, no longer open, or not authorised yet. All of that says nothing of the
   * card behind it, which later attempts charge.
   */
  authorization_unknown: 'SOFT',
  authorization_mismatch: 'SOFT',
  authorization_expired: 'SOFT',
  authorization_incomplete: 'SOFT',
} as const satisfies Record<string, DeclineKind>;

export type DeclineCode = keyof typeof kinds;

/** A failed charge, with what its code says of the method. */
export function declined(
  failureCode: DeclineCode,
  providerPaymentId: string | undefined,
): Extract<FinalOutcome, { status: 'FAILED' }> {
  return { status: 'FAILED', failureCode, decline: kinds[failureCode], providerPaymentId };
}

/** Whether the text is such a code, e.g. after it was read from a database. */
export function isDeclineCode(text: string): text is DeclineCode {
  return Object.hasOwn(kinds, text);
}

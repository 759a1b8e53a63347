import type { DeclineKind, FinalOutcome } from './payment-provider';

/**
 * Failure codes and what each says of the method. Every code that an adapter returns is listed
 * here.
 */
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
  /** The provider does not accept this amount, or the amount cannot be expressed exactly for it. */
  amount_not_supported: 'PROVIDER',
  no_payment_provider: 'PROVIDER',
  /** The customer's balance was used up by another payment. */
  balance_too_low: 'SOFT',
  /** The provider no longer has the method, or not for this customer. */
  payment_method_unavailable: 'HARD',
  /** The authorized payment has paid something else, or belongs to another customer. */
  authorization_used: 'HARD',
  /**
   * A payment claimed to be authorized is unknown, has another amount, is no longer open, or is not
   * authorized yet. None of this says anything of the card behind it, which later attempts charge.
   */
  authorization_unknown: 'SOFT',
  authorization_mismatch: 'SOFT',
  authorization_expired: 'SOFT',
  authorization_incomplete: 'SOFT',
} as const satisfies Record<string, DeclineKind>;

export type DeclineCode = keyof typeof kinds;

/** Failure code for a live environment without a configured payment provider. */
export const noProviderCode = 'no_payment_provider';

/** Outcome of a failed charge, with the decline kind of its code. */
export function declined(
  failureCode: DeclineCode,
  providerPaymentId: string | undefined,
): Extract<FinalOutcome, { status: 'FAILED' }> {
  return { status: 'FAILED', failureCode, decline: kinds[failureCode], providerPaymentId };
}

/** True if the text is a decline code, e.g. after it was read from a database. */
export function isDeclineCode(text: string): text is DeclineCode {
  return Object.hasOwn(kinds, text);
}

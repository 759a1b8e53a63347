import { type DeclineCode, isDeclineCode } from './decline';

const failed = 'Your payment failed. Please try again.';
const declined = 'Your card was declined.';

const messages: Readonly<Record<DeclineCode, string>> = {
  card_declined: declined,
  insufficient_funds: 'Your card has insufficient funds.',
  processing_error: 'Your card could not be processed. Please try again.',
  authentication_required: 'Your bank did not confirm the payment. Please try again.',
  expired_card: 'Your card has expired.',
  // The reason would help a person who found or stole the card.
  lost_card: declined,
  stolen_card: declined,
  pickup_card: declined,
  fraudulent: declined,
  invalid_account: declined,
  do_not_try_again: declined,
  card_not_supported: 'Your card is not supported. Please use another one.',
  currency_not_supported: 'Your card does not support this currency. Please use another one.',
  payment_method_unavailable: 'Your card can no longer be charged. Please use another one.',
  amount_not_supported: 'This amount cannot be paid by card.',
  no_payment_method: 'No payment method is saved.',
  no_payment_provider: 'Payments are not available right now.',
  // Not shown to payers: only callers take payments from a balance.
  balance_too_low: failed,
  authorization_used: failed,
  authorization_unknown: failed,
  authorization_mismatch: failed,
  authorization_expired: failed,
  authorization_incomplete: failed,
};

/** Reason of a failed payment, as shown to its payer. */
export function payerMessage(failureCode: string): string {
  return isDeclineCode(failureCode) ? messages[failureCode] : failed;
}

const messages: Readonly<Record<string, string>> = {
  card_declined: 'Your card was declined.',
  insufficient_funds: 'Your card has insufficient funds.',
  processing_error: 'Your card could not be processed. Please try again.',
  authentication_required: 'Your bank did not confirm the payment. Please try again.',
  expired_card: 'Your card has expired.',
  // What is told of a lost or stolen card would help whoever found or stole it.
  lost_card: 'Your card was declined.',
  stolen_card: 'Your card was declined.',
  card_not_supported: 'Your card is not supported. Please use another one.',
  amount_not_supported: 'This amount cannot be paid by card.',
  no_payment_method: 'No payment method is saved.',
  no_payment_provider: 'Payments cannot be taken at the moment.',
};

/** Why a payment failed, for its payer. */
export function payerMessage(failureCode: string): string {
  return messages[failureCode] ?? 'Your payment failed. Please try again.';
}

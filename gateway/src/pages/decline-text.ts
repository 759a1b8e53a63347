// What a payer is told of a decline; what a bank thinks of a card that was lost or stolen is not for whoever holds it.
const textOfCode: Readonly<Record<string, string>> = {
  insufficient_funds: 'There is not enough money on the card.',
  expired_card: 'The card has expired.',
  processing_error: 'The payment could not be processed. Please try again.',
  authentication_required: 'The payment was not confirmed.',
  card_not_supported: 'The card cannot be used here.',
  no_payment_provider: 'Payments cannot be taken here at the moment.',
};

/** Why a payment failed, for the payer. */
export function declineText(code: string | undefined): string {
  return textOfCode[code ?? ''] ?? 'Your card was declined.';
}

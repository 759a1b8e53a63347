import { type Text } from '@billing/documents/reader';
import { type PhraseKey, say } from '@billing/documents/say';

// Problems of typed texts, as services report them.
const exact: Readonly<Record<string, PhraseKey>> = {
  Required: 'problem.required',
  'Invalid email': 'problem.email',
  'Invalid country': 'problem.country',
  'Must not contain control characters': 'problem.controlCharacters',
  'Must be MM/YY': 'problem.expiryFormat',
  'The card has expired': 'problem.cardExpired',
  'Must have 3 or 4 digits': 'problem.codeDigits',
  'Only test cards are accepted here': 'problem.testCardsOnly',
  'The total exceeds the maximum amount': 'problem.totalTooLarge',
  'The total with tax exceeds the maximum amount': 'problem.totalTooLarge',
  'Unsupported locale': 'problem.locale',
  'Please choose a plan': 'problem.choosePlan',
  'This plan is no longer available': 'problem.planGone',
  'This code is not valid.': 'problem.discountCode',
};
const tooLong = /^Must be at most (?<max>\d+) characters$/;
const wholeNumber = /^Must be a whole number from (?<min>\d+) to (?<max>\d+)$/;
const taxId = /^(?:value: )?Invalid (?:.* )?(?:VAT|tax) id$/;

/** A problem of a typed text in words for payers. */
export function problemText(problem: string): Text {
  const key = exact[problem];
  if (key !== undefined) return say(key);
  const longest = tooLong.exec(problem)?.groups?.max;
  if (longest !== undefined) return say('problem.tooLong', { max: Number(longest) });
  const { min, max } = wholeNumber.exec(problem)?.groups ?? {};
  if (min !== undefined && max !== undefined) {
    return say('problem.wholeNumber', { min: Number(min), max: Number(max) });
  }
  return say(taxId.test(problem) ? 'problem.taxId' : 'problem.other');
}

/** Reason of a failed payment in words for its payer, by its code. */
export function payerMessage(code: string | undefined): Text {
  return say((code !== undefined && payerMessages.get(code)) || 'payerMessage.other');
}

const declined = 'payerMessage.card_declined';
const payerMessages = new Map<string, PhraseKey>([
  ['card_declined', declined],
  ['insufficient_funds', 'payerMessage.insufficient_funds'],
  ['processing_error', 'payerMessage.processing_error'],
  ['authentication_required', 'payerMessage.authentication_required'],
  ['expired_card', 'payerMessage.expired_card'],
  // The reason would help a person who found or stole the card.
  ['lost_card', declined],
  ['stolen_card', declined],
  ['pickup_card', declined],
  ['fraudulent', declined],
  ['invalid_account', declined],
  ['do_not_try_again', declined],
  ['card_not_supported', 'payerMessage.card_not_supported'],
  ['currency_not_supported', 'payerMessage.currency_not_supported'],
  ['payment_method_unavailable', 'payerMessage.payment_method_unavailable'],
  ['amount_not_supported', 'payerMessage.amount_not_supported'],
  ['no_payment_method', 'payerMessage.no_payment_method'],
  ['no_payment_provider', 'payerMessage.no_payment_provider'],
]);

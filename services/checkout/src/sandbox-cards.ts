/** How a sandbox card answers; without a code the charge succeeds. */
interface Behaviour {
  /** The capture of a payment that was authorised with the card. */
  readonly captureFails?: string;
  /** A later charge of the saved card. */
  readonly savedFails?: string;
  /** How many charges of the saved card fail before it works; absent: all of them. */
  readonly savedFailures?: number;
}

/** A card of the sandbox. Nothing but its name is stored: from it follows all the rest. */
export interface SandboxCard extends Behaviour {
  readonly brand: 'visa' | 'mastercard';
  readonly last4: string;
}

function visa(last4: string, behaviour: Behaviour = {}): SandboxCard {
  return { brand: 'visa', last4, ...behaviour };
}

function always(code: string): Behaviour {
  return { captureFails: code, savedFails: code };
}

/** Every card that the sandbox knows, by the name under which it is stored. */
const cards = {
  visa: visa('4242'),
  mastercard: { brand: 'mastercard', last4: '4444' },
  cardDeclined: visa('0002', always('card_declined')),
  insufficientFunds: visa('9995', always('insufficient_funds')),
  processingError: visa('0119', always('processing_error')),
  expiredCard: visa('0069', always('expired_card')),
  lostCard: visa('9987', always('lost_card')),
  stolenCard: visa('9979', always('stolen_card')),
  failsWhenSaved: visa('0341', { savedFails: 'card_declined' }),
  // No payer is present in any charge here, so a card that asks for 3-D Secure cannot be charged.
  secureOnce: visa('3155', always('authentication_required')),
  secureThenDeclined: visa('1629', always('authentication_required')),
  failsTwiceWhenSaved: visa('5126', { savedFails: 'card_declined', savedFailures: 2 }),
} as const satisfies Record<string, SandboxCard>;

export type SandboxCardName = keyof typeof cards;

const namesByNumber: Readonly<Record<string, SandboxCardName>> = {
  '4242424242424242': 'visa',
  '5555555555554444': 'mastercard',
  '4000000000000002': 'cardDeclined',
  '4000000000009995': 'insufficientFunds',
  '4000000000000119': 'processingError',
  '4000000000000069': 'expiredCard',
  '4000000000009987': 'lostCard',
  '4000000000009979': 'stolenCard',
  '4000000000000341': 'failsWhenSaved',
  '4000002500003155': 'secureOnce',
  '4000008400001629': 'secureThenDeclined',
  '4000000000005126': 'failsTwiceWhenSaved',
};

// The lengths of cards in use. Shorter digits, a counter or a time in milliseconds, are an ordinary reference of the caller's.
const cardTransaction = /^txn_(\d{14,19})(?:_.*)?$/s;

/** The standard code for a card that cannot be used here. */
export const unknownCardCode = 'card_not_supported';

/**
 * The card behind an authorisation: `txn_<card number>`, optionally with `_` and any text, is that card; undefined if the sandbox does
 * not know it. Any other text is an authorisation of a card that works.
 */
export function cardOfAuthorization(authorizedTransactionId: string): SandboxCardName | undefined {
  const number = cardTransaction.exec(authorizedTransactionId)?.[1];
  if (number === undefined) return 'visa';
  return Object.hasOwn(namesByNumber, number) ? namesByNumber[number] : undefined;
}

export function sandboxCard(name: SandboxCardName): SandboxCard {
  return cards[name];
}

/** Whether the text names a card, e.g. after it was read from a database. */
export function isSandboxCardName(text: string): text is SandboxCardName {
  return Object.hasOwn(cards, text);
}

/** The failure code of a charge without the payer present, undefined if it succeeds. */
export function declineCode(
  name: SandboxCardName | undefined,
  charge: { readonly isCapture: boolean; readonly earlierSavedCharges: number },
): string | undefined {
  if (name === undefined) return unknownCardCode;
  const card: SandboxCard = cards[name];
  if (charge.isCapture) return card.captureFails;
  const isOver = charge.earlierSavedCharges >= (card.savedFailures ?? Infinity);
  return isOver ? undefined : card.savedFails;
}

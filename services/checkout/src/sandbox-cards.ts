import type { DeclineCode } from './decline';

/** How a sandbox card answers; without any of it every charge succeeds. */
interface Behaviour {
  /** Every charge fails, the capture of an authorisation too. */
  readonly alwaysFails?: DeclineCode;
  /** Charges of the saved card fail, but the one that its payer made when giving it. */
  readonly savedFails?: DeclineCode;
  /** How many charges of the saved card without its payer fail before it works; absent: all of them. */
  readonly savedFailures?: number;
  /** Charges below this many smallest units fail, as below a provider's minimum. */
  readonly amountMin?: bigint;
  /** The payer must answer a challenge: once for the card, or each time; then a charge may still fail. */
  readonly challenge?: { readonly asks: 'ONCE' | 'ALWAYS'; readonly thenFails?: DeclineCode };
}

/** A card of the sandbox. Nothing but its name is stored: from it follows all the rest. */
export interface SandboxCard extends Behaviour {
  readonly brand: 'visa' | 'mastercard';
  readonly last4: string;
}

/** What the card knows of a charge and of those before it. */
export interface CardCharge {
  /** In the smallest unit; 0 verifies the card. */
  readonly amount: bigint;
  /** Captures a payment that was authorised with the card. */
  readonly isCapture: boolean;
  readonly isPayerPresent: boolean;
  readonly isFirstCharge: boolean;
  /** Earlier charges of the saved card without its payer. */
  readonly earlierRenewals: number;
  /** Whether its payer has passed a challenge before. */
  readonly isAuthenticated: boolean;
}

/** What comes of a charge: it succeeds, fails with a code, or waits for the payer. */
export type CardAnswer =
  | { readonly kind: 'SUCCEEDS' }
  | { readonly kind: 'FAILS'; readonly code: DeclineCode }
  | { readonly kind: 'CHALLENGES' };

function visa(last4: string, behaviour: Behaviour = {}): SandboxCard {
  return { brand: 'visa', last4, ...behaviour };
}

/** Every card that the sandbox knows, by the name under which it is stored. */
const cards = {
  visa: visa('4242'),
  mastercard: { brand: 'mastercard', last4: '4444' },
  cardDeclined: visa('0002', { alwaysFails: 'card_declined' }),
  insufficientFunds: visa('9995', { alwaysFails: 'insufficient_funds' }),
  processingError: visa('0119', { alwaysFails: 'processing_error' }),
  expiredCard: visa('0069', { alwaysFails: 'expired_card' }),
  lostCard: visa('9987', { alwaysFails: 'lost_card' }),
  stolenCard: visa('9979', { alwaysFails: 'stolen_card' }),
  failsWhenSaved: visa('0341', { savedFails: 'card_declined' }),
  secureOnce: visa('3155', { challenge: { asks: 'ONCE' } }),
  secureThenDeclined: visa('1629', { challenge: { asks: 'ALWAYS', thenFails: 'card_declined' } }),
  hasMinimum: visa('0077', { amountMin: 50n }),
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
  '4000000000000077': 'hasMinimum',
  '4000002500003155': 'secureOnce',
  '4000008400001629': 'secureThenDeclined',
  '4000000000005126': 'failsTwiceWhenSaved',
};

// The lengths of cards in use. Shorter digits, a counter or a time in milliseconds, are an ordinary reference of the caller's.
const cardTransaction = /^txn_(\d{14,19})(?:_.*)?$/s;

const succeeds: CardAnswer = { kind: 'SUCCEEDS' };

/**
 * The card behind an authorisation: `txn_<card number>`, optionally with `_` and any text, is that card; undefined if the sandbox does
 * not know it. Any other text is an authorisation of a card that works.
 */
export function cardOfAuthorization(authorizedTransactionId: string): SandboxCardName | undefined {
  const number = cardTransaction.exec(authorizedTransactionId)?.[1];
  return number === undefined ? 'visa' : cardOfNumber(number);
}

/** The test card with a number of digits alone; undefined for every other number. */
export function cardOfNumber(number: string): SandboxCardName | undefined {
  return Object.hasOwn(namesByNumber, number) ? namesByNumber[number] : undefined;
}

export function sandboxCard(name: SandboxCardName): SandboxCard {
  return cards[name];
}

/** Whether the text names a card, e.g. after it was read from a database. */
export function isSandboxCardName(text: string): text is SandboxCardName {
  return Object.hasOwn(cards, text);
}

/** What comes of a charge; without a card it is the standard refusal of one that cannot be used here. */
export function answerOf(name: SandboxCardName | undefined, charge: CardCharge): CardAnswer {
  if (name === undefined) return fails('card_not_supported');
  const card: SandboxCard = cards[name];
  if (card.alwaysFails !== undefined) return fails(card.alwaysFails);
  if (isBelow(card, charge)) return fails('amount_not_supported');
  if (card.challenge !== undefined) return challengeOf(card.challenge, charge);
  if (card.savedFails === undefined || isGiven(charge)) return succeeds;
  if (card.savedFailures === undefined) return fails(card.savedFails);
  const isOver = charge.isPayerPresent || charge.earlierRenewals >= card.savedFailures;
  return isOver ? succeeds : fails(card.savedFails);
}

/** What comes of a charge whose challenge was answered. */
export function answerAfterChallenge(
  name: SandboxCardName | undefined,
  { isApproved }: { readonly isApproved: boolean },
): CardAnswer {
  if (!isApproved) return fails('authentication_required');
  const thenFails = name === undefined ? undefined : sandboxCard(name).challenge?.thenFails;
  return thenFails === undefined ? succeeds : fails(thenFails);
}

function challengeOf(
  { asks }: NonNullable<Behaviour['challenge']>,
  { isAuthenticated, isPayerPresent }: CardCharge,
): CardAnswer {
  if (asks === 'ONCE' && isAuthenticated) return succeeds;
  return isPayerPresent ? { kind: 'CHALLENGES' } : fails('authentication_required');
}

function isBelow({ amountMin }: SandboxCard, { amount }: CardCharge): boolean {
  return amountMin !== undefined && amount > 0n && amount < amountMin;
}

// The payment with which a payer gave the card: a capture, or the first charge while they are there.
function isGiven({ isCapture, isPayerPresent, isFirstCharge }: CardCharge): boolean {
  return isCapture || (isPayerPresent && isFirstCharge);
}

function fails(code: DeclineCode): CardAnswer {
  return { kind: 'FAILS', code };
}

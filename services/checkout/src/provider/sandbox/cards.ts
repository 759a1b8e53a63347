import type { DeclineCode } from '../port/decline';

/** Answers of a sandbox card; without any option every charge succeeds. */
interface Behaviour {
  /** Every charge fails, including the capture of an authorization. */
  readonly alwaysFails?: DeclineCode;
  /** Charges of the saved card fail, except the payer's own charge when giving it. */
  readonly savedFails?: DeclineCode;
  /** Number of failing charges of the saved card without its payer; absent: all of them. */
  readonly savedFailures?: number;
  /** Charges below this amount fail, as below a provider's minimum; in the smallest unit. */
  readonly amountMin?: bigint;
  /**
   * The payer must answer a challenge, once per card or each time; afterwards a charge may still
   * fail.
   */
  readonly challenge?: { readonly asks: 'ONCE' | 'ALWAYS'; readonly thenFails?: DeclineCode };
  /** Refunds fail, or stay PENDING for a day and succeed; absent: they succeed. */
  readonly refunds?: 'FAIL' | 'SUCCEED_LATER';
  /** Each charge is disputed a day later, and the dispute is closed 30 days after that. */
  readonly disputes?: { readonly reason: string; readonly closes: 'WON' | 'LOST' };
}

/** A card of the sandbox. Only its name is stored; everything else follows from it. */
export interface SandboxCard extends Behaviour {
  readonly brand: 'visa' | 'mastercard';
  readonly last4: string;
  /** Absent: US. */
  readonly country?: string;
}

/** Facts about a charge and the card's earlier charges. */
export interface CardCharge {
  /** In the smallest unit; 0 verifies the card. */
  readonly amount: bigint;
  /** True if the charge captures a payment that was authorized with the card. */
  readonly isCapture: boolean;
  readonly isPayerPresent: boolean;
  readonly isFirstCharge: boolean;
  /** Number of earlier charges of the saved card without its payer. */
  readonly earlierRenewals: number;
  /** True if the payer has passed a challenge before. */
  readonly isAuthenticated: boolean;
}

/** Answer to a charge: success, failure with a code, or a challenge for the payer. */
export type CardAnswer =
  | { readonly kind: 'SUCCEEDS' }
  | { readonly kind: 'FAILS'; readonly code: DeclineCode }
  | { readonly kind: 'CHALLENGES' };

function visa(last4: string, behaviour: Behaviour = {}): SandboxCard {
  return { brand: 'visa', last4, ...behaviour };
}

/** All cards of the sandbox, by the name under which they are stored. */
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
  refundsLater: visa('7726', { refunds: 'SUCCEED_LATER' }),
  refundsFail: visa('5134', { refunds: 'FAIL' }),
  disputeLost: visa('0259', { disputes: { reason: 'fraudulent', closes: 'LOST' } }),
  disputeWon: visa('2685', { disputes: { reason: 'product_not_received', closes: 'WON' } }),
  german: { ...visa('0016'), country: 'DE' },
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
  '4000000000007726': 'refundsLater',
  '4000000000005134': 'refundsFail',
  '4000000000000259': 'disputeLost',
  '4000000000002685': 'disputeWon',
  '4000002760000016': 'german',
};

// Lengths of real card numbers. Shorter digits, such as a counter or a time in milliseconds, are an
// ordinary reference of the caller.
const cardTransaction = /^txn_(\d{14,19})(?:_.*)?$/s;

const succeeds: CardAnswer = { kind: 'SUCCEEDS' };

/**
 * Card behind an authorization: `txn_<card number>`, optionally with `_` and any text, is that
 * card; undefined if the sandbox does not know the card. Any other text is an authorization of a
 * card that works.
 */
export function cardOfAuthorization(authorizedTransactionId: string): SandboxCardName | undefined {
  const number = cardTransaction.exec(authorizedTransactionId)?.[1];
  return number === undefined ? 'visa' : cardOfNumber(number);
}

/** Test card with exactly these digits; undefined for every other number. */
export function cardOfNumber(number: string): SandboxCardName | undefined {
  return Object.hasOwn(namesByNumber, number) ? namesByNumber[number] : undefined;
}

export function sandboxCard(name: SandboxCardName): SandboxCard {
  return cards[name];
}

/** True if the text is the name of a card, e.g. after it was read from a database. */
export function isSandboxCardName(text: string): text is SandboxCardName {
  return Object.hasOwn(cards, text);
}

/** True if later events of a charge depend on the card. */
export function isAskedLater(name: SandboxCardName): boolean {
  const { challenge, refunds, disputes } = sandboxCard(name);
  return challenge !== undefined || refunds !== undefined || disputes !== undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Outcome of a refund of a charge of the card, at an environment time. */
export function refundAnswerOf(
  name: SandboxCardName,
  { createdAt, now }: { readonly createdAt: Date; readonly now: Date },
): 'SUCCEEDED' | 'PENDING' | 'FAILED' {
  const { refunds } = sandboxCard(name);
  if (refunds === 'FAIL') return 'FAILED';
  const isLate = refunds === 'SUCCEED_LATER' && now.getTime() < createdAt.getTime() + dayMs;
  return isLate ? 'PENDING' : 'SUCCEEDED';
}

/** Answer to a charge. Without a card: the standard refusal of a card that is not supported. */
export function answerOf(name: SandboxCardName | undefined, charge: CardCharge): CardAnswer {
  if (name === undefined) return fails('card_not_supported');
  const card: SandboxCard = cards[name];
  if (card.alwaysFails !== undefined) return fails(card.alwaysFails);
  if (isBelow(card, charge)) return fails('amount_not_supported');
  if (card.challenge !== undefined) return challengeOf(card.challenge, charge);
  if (card.savedFails === undefined || isGiven(charge)) return succeeds;
  if (card.savedFailures === undefined) return fails(card.savedFails);
  const hasRecovered = charge.isPayerPresent || charge.earlierRenewals >= card.savedFailures;
  return hasRecovered ? succeeds : fails(card.savedFails);
}

/** Answer to a charge whose challenge was answered. */
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

// The payment with which a payer gave the card: a capture, or the first charge with the payer
// present.
function isGiven({ isCapture, isPayerPresent, isFirstCharge }: CardCharge): boolean {
  return isCapture || (isPayerPresent && isFirstCharge);
}

function fails(code: DeclineCode): CardAnswer {
  return { kind: 'FAILS', code };
}

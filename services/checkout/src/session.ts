import type { Recurrence } from '@billing/kernel/billing-period';
import type { Currency } from '@billing/kernel/currency';
import { type Command, only, type Transition, unchanged } from '@billing/kernel/transition';
import type { CollectionMethod } from './invoice';
import { completed, type InvoiceForm } from './session-announcement';

/** CREATING, READY and PAYING are OPEN to callers; the others are final. */
export type SessionPhase = 'CREATING' | 'READY' | 'PAYING' | 'COMPLETE' | 'EXPIRED';

/** What was said of customer, price and discount, as text that only the edges read: shown, and handed on to the subscription. */
export interface Snapshots {
  readonly customer: string;
  readonly price: string;
  /** The terms that were redeemed; undefined until they are. */
  readonly discount: string | undefined;
}

/** What is bought, as it was when the session was made. */
export interface Offer {
  readonly productId: string;
  readonly productName: string;
  readonly productDescription: string | undefined;
  readonly priceId: string;
  readonly currency: Currency;
  readonly quantity: number;
  readonly recurrence: Recurrence;
  /** 0: none. */
  readonly trialDays: number;
}

/** How the session's invoice is paid. */
export interface PaymentPlan {
  /** The same key is the same attempt at the invoice, however often it is made. */
  readonly paymentKey: string;
  /** Undefined: nothing is due and no card was asked for. */
  readonly paymentMethodId: string | undefined;
  /** Where a payer comes back to from a provider's own page. */
  readonly returnUrl: string;
}

/** A payment that runs. */
export interface RunningPayment extends PaymentPlan {
  /** Real time; from it follows when another worker takes the payment up. */
  readonly claimedAt: Date;
  /**
   * Number of the invoice's payment that is recorded as failed and has succeeded: the session is held until its invoice is settled with it.
   * Undefined: the payment is made now.
   */
  readonly latePayment?: number | undefined;
}

/** A payment that waits for its payer. */
export interface Challenge extends PaymentPlan {
  /** Which attempt at the invoice. */
  readonly attempt: number;
  /** Where the provider asks the payer; undefined: we show the challenge. */
  readonly redirectUrl: string | undefined;
}

export interface PaymentError {
  readonly code: string;
  /** Business time. */
  readonly at: Date;
}

/** A purchase by one customer, on its way. */
export interface Session extends Offer {
  readonly id: string;
  readonly isTombstone: false;
  readonly phase: SessionPhase;
  readonly customerId: string;
  readonly collectionMethod: CollectionMethod;
  readonly discountId: string | undefined;
  /** The discount is its link's: where it cannot be redeemed the session sells at the full price. */
  readonly isDiscountOptional: boolean;
  /** Its link's discount could not be redeemed. */
  readonly isDiscountLost: boolean;
  readonly checkoutLinkId: string | undefined;
  readonly successUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly snapshots: Snapshots;
  readonly expiresAt: Date;
  /** Real time after which a session that is still CREATING is given up. */
  readonly abandonAt: Date;
  /** Why it could not be made, as an answer to its caller. */
  readonly refusal: Refusal | undefined;
  /** Derived, and known before the invoice is made. */
  readonly invoiceId: string;
  /** What the payer owes; undefined until that is known, and for ever where the session never was READY. */
  readonly total: bigint | undefined;
  /** What the token of its page is found by; undefined: its page is kept apart. */
  readonly pageHash: string | undefined;
  /** While PAYING. */
  readonly payment: RunningPayment | undefined;
  /** While READY. */
  readonly challenge: Challenge | undefined;
  readonly lastPaymentError: PaymentError | undefined;
  readonly completedAt: Date | undefined;
  /** Derived; undefined for what is bought once. */
  readonly subscriptionId: string | undefined;
  /** Whether all is done that follows an end: the subscription is made, or the invoice void and the redemption free. */
  readonly isDelivered: boolean;
  /** Whether it was announced that it has expired and its invoice is void. */
  readonly isVoidAnnounced: boolean;
}

/** Stands in the place of a session that must never be made: its redemption was given back. */
export interface SessionTombstone {
  readonly id: string;
  readonly isTombstone: true;
}

/** What may stand under a session's id. */
export type SessionRecord = Session | SessionTombstone;

/** The session of a record that can be no mark: whoever asks has seen it made. */
export function sessionOf(record: SessionRecord): Session {
  if (record.isTombstone) throw new Error(`Session ${record.id} was never made`);
  return record;
}

/** Why a session could not be made. */
export type Refusal = 'DISCOUNT_NOT_VALID' | 'ABANDONED';

/** What a session is made from. */
export type NewSession = Offer &
  Pick<
    Session,
    | 'id'
    | 'customerId'
    | 'collectionMethod'
    | 'discountId'
    | 'isDiscountOptional'
    | 'checkoutLinkId'
    | 'successUrl'
    | 'cancelUrl'
    | 'metadata'
    | 'snapshots'
    | 'abandonAt'
    | 'invoiceId'
    | 'subscriptionId'
    | 'total'
    | 'pageHash'
  > & {
    /** Made on the link's public page, whose visitors hold redemptions for a short time. */
    readonly isForVisitor: boolean;
  };

/** What any rule about a session decides. */
export type SessionTransition = Transition<SessionRecord>;

const expiresAfterMs = 24 * 60 * 60 * 1000;
/** Visitors who do not pay must not keep a limited discount from others. */
const visitorHoldsForMs = 30 * 60 * 1000;
/** Long enough for a provider to answer; after it another worker takes a running payment up. */
const resumeAfterMs = 30_000;

/**
 * A new session. Its commands hold the discount for it and make its invoice, and only then is anybody told of it. READY is what nothing can
 * refuse any more, so whoever takes a number for its invoice knows that the invoice will come to be, if only to be voided.
 */
export function createSession(
  { isForVisitor, ...input }: NewSession,
  now: Date,
): Transition<Session> {
  const isShort = isForVisitor && input.discountId !== undefined;
  const state: Session = {
    ...input,
    isDiscountLost: false,
    isTombstone: false,
    phase: input.total === undefined ? 'CREATING' : 'READY',
    expiresAt: new Date(now.getTime() + (isShort ? visitorHoldsForMs : expiresAfterMs)),
    refusal: undefined,
    payment: undefined,
    challenge: undefined,
    lastPaymentError: undefined,
    completedAt: undefined,
    isDelivered: false,
    isVoidAnnounced: false,
  };
  const reserve = input.discountId === undefined ? [] : [command('reserveRedemption')];
  return { state, events: [], commands: [...reserve, command('createInvoice')] };
}

/** What takes the place of a session that does not exist (yet). */
export function sessionTombstone(id: string): SessionTransition {
  return { state: { id, isTombstone: true }, events: [], commands: [] };
}

/** A retry of the request waits for what the first one began; from now on only the retry may abandon it. */
export function takeUp(record: SessionRecord, abandonAt: Date): SessionTransition {
  if (!isUnpaid(record) || record.abandonAt >= abandonAt) return unchanged(record);
  return only({ ...record, abandonAt });
}

/** The discount is held for the session on these terms, so that the payer owes this. A session that has ended meanwhile stays so. */
export function makeReady(
  record: SessionRecord,
  { total, discount }: { readonly total: bigint; readonly discount: string | undefined },
): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  const snapshots = { ...record.snapshots, discount };
  return only({ ...record, phase: 'READY', total, snapshots });
}

/** The discount of the session's link cannot be redeemed: it sells at the full price. */
export function makeReadyInFull(
  record: SessionRecord,
  { total, now }: { readonly total: bigint; readonly now: Date },
): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  // It holds nothing, so that nothing ends it early.
  const expiresAt = new Date(now.getTime() + expiresAfterMs);
  const state = { ...record, discountId: undefined, isDiscountLost: true, expiresAt };
  return makeReady(state, { total, discount: undefined });
}

/** A session that cannot be made ends. */
export function refuseSession(record: SessionRecord, refusal: Refusal): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  return end({ ...record, refusal });
}

/** Gives up a session that nobody waits for any more. `realNow` in real time. */
export function abandon(record: SessionRecord, realNow: Date): SessionTransition {
  if (!isIn(record, 'CREATING') || record.abandonAt > realNow) return unchanged(record);
  return end({ ...record, refusal: 'ABANDONED' });
}

/**
 * Ends a session whose caller is about to get an error in the place of its address. One that a retry has taken up, that is paid or is being
 * paid stays: `abandonAt` is what the request set.
 */
export function abandonUnanswered(record: SessionRecord, abandonAt: Date): SessionTransition {
  if (!isUnpaid(record) || record.abandonAt.getTime() !== abandonAt.getTime()) {
    return unchanged(record);
  }
  return end({ ...record, refusal: 'ABANDONED' });
}

/** Whether the record is a session that was abandoned: no retry of its request can have it any more. */
export function isAbandoned(record: SessionRecord): boolean {
  return !record.isTombstone && record.refusal === 'ABANDONED';
}

/**
 * Ends a session whose time is over, or that is withdrawn because its product or discount went away. A payment that runs is waited for,
 * and a challenge that waits is cancelled first, because it may succeed: neither is ended here.
 */
export function expire(record: SessionRecord): SessionTransition {
  if (!isIn(record, 'READY') || record.challenge !== undefined) return unchanged(record);
  return end(record);
}

/** Whether the session's time is over; at the very instant the payer still goes first. */
export function isOver(record: SessionRecord, now: Date): boolean {
  return isIn(record, 'READY') && record.expiresAt < now;
}

/** Ends a session whose time is over at `now`, as its scanner asks. */
export function expireWhenDue(record: SessionRecord, now: Date): SessionTransition {
  return isIn(record, 'READY') && record.expiresAt <= now ? expire(record) : unchanged(record);
}

/** A payment as it is begun, at a business time. */
export type PaymentStart = RunningPayment & { readonly now: Date };

/**
 * Claims the session for a payment: whoever wins the write pays, everybody else finds it PAYING. One whose time is over ends instead; with
 * a challenge that is left to the worker, who must ask the provider. A session that is not READY stays as it is.
 */
export function startPayment(
  record: SessionRecord,
  { now, ...payment }: PaymentStart,
): SessionTransition {
  if (!isIn(record, 'READY')) return unchanged(record);
  if (isOver(record, now)) return expire(record);
  return only({ ...record, phase: 'PAYING', payment, challenge: undefined });
}

/**
 * Claims the session for a payment that is recorded as failed and has succeeded. The hold also replaces that very payment where it still
 * runs here: the failure that it would record must not end the hold.
 */
export function holdForLate(record: SessionRecord, hold: PaymentStart): SessionTransition {
  if (!isIn(record, 'PAYING')) return startPayment(record, hold);
  const { payment } = record;
  const isOther = payment?.paymentKey !== hold.paymentKey;
  if (isOther || payment.latePayment === hold.latePayment) return unchanged(record);
  const { claimedAt, latePayment } = hold;
  return only({ ...record, payment: { ...payment, claimedAt, latePayment } });
}

/** Claims the session to go on with the attempt that waits for its payer; another attempt, or none, stays as it is. */
export function resumeChallenge(
  record: SessionRecord,
  { attempt, claimedAt }: Pick<Challenge, 'attempt'> & Pick<RunningPayment, 'claimedAt'>,
): SessionTransition {
  if (!isIn(record, 'READY') || record.challenge?.attempt !== attempt) return unchanged(record);
  const { attempt: _attempt, redirectUrl: _redirectUrl, ...plan } = record.challenge;
  const payment = { ...plan, claimedAt };
  return only({ ...record, phase: 'PAYING', payment, challenge: undefined });
}

/** What came of a payment, as the invoice has it. */
export type PaymentResult =
  | { readonly kind: 'PAID'; readonly paidAt: Date; readonly invoice: InvoiceForm }
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  | ({ readonly kind: 'WAITING' } & Pick<Challenge, 'attempt' | 'redirectUrl'>)
  /** The invoice can be paid no more, and nothing was charged. */
  | { readonly kind: 'NOT_OPEN' };

/**
 * Records what came of the payment with a key. PAID completes the session, whichever payment it was; anything else counts only for the
 * one that runs or waits, and of a hold for a late payment only what its own settlement says. A session that has ended is never charged: a PAID invoice of one is a bug.
 */
export function recordPayment(
  record: SessionRecord,
  {
    paymentKey,
    latePayment,
    result,
  }: Pick<RunningPayment, 'paymentKey' | 'latePayment'> & { readonly result: PaymentResult },
): SessionTransition {
  if (record.isTombstone || record.phase === 'COMPLETE') return unchanged(record);
  if (result.kind === 'PAID') return complete(record, result);
  const running = record.payment ?? record.challenge;
  if (running?.paymentKey !== paymentKey) return unchanged(record);
  if (record.payment?.latePayment !== latePayment) return unchanged(record);
  switch (result.kind) {
    case 'NOT_OPEN':
      return end(record);
    case 'FAILED': {
      const { failureCode: code, at } = result;
      return only({ ...backToReady(record), lastPaymentError: { code, at } });
    }
    case 'WAITING': {
      if (record.payment === undefined) return unchanged(record);
      const { claimedAt: _claimedAt, ...plan } = record.payment;
      const { attempt, redirectUrl } = result;
      return only({ ...backToReady(record), challenge: { ...plan, attempt, redirectUrl } });
    }
  }
}

/** Whether the payer is asked for a card: where something is due now or after the trial. */
export function asksForCard({ total, trialDays }: Pick<Session, 'total' | 'trialDays'>): boolean {
  return total !== 0n || trialDays > 0;
}

/** Whether a payment of the session runs. */
export function isPaying(record: SessionRecord): boolean {
  return isIn(record, 'PAYING');
}

/** Whether nothing of a payment is under way any more. */
export function isSettled(record: SessionRecord): boolean {
  return isIn(record, 'COMPLETE') ? record.isDelivered : !isPaying(record);
}

/** Business time at which the session ends by itself. */
export function expiryOf(record: SessionRecord): Date | undefined {
  return isIn(record, 'READY') ? record.expiresAt : undefined;
}

/** Real time at which any worker may take up what was begun. */
export function sessionResumeAt(record: SessionRecord): Date | undefined {
  if (record.isTombstone) return undefined;
  if (record.phase === 'CREATING') return record.abandonAt;
  if (record.payment === undefined) return undefined;
  return new Date(record.payment.claimedAt.getTime() + resumeAfterMs);
}

type Paid = Extract<PaymentResult, { kind: 'PAID' }>;

function complete(session: Session, { paidAt: completedAt, invoice }: Paid): SessionTransition {
  if (session.phase !== 'PAYING' && session.phase !== 'READY') {
    throw new Error(`Session ${session.id} is ${session.phase}, but its invoice was paid`);
  }
  const state: Session = {
    ...backToReady(session),
    phase: 'COMPLETE',
    completedAt,
    lastPaymentError: undefined,
    isDelivered: session.subscriptionId === undefined,
  };
  // What the payer waits for stands before what only keeps a count.
  const commands = [
    // A subscription fixes the customer's currency as it is created.
    command(session.subscriptionId === undefined ? 'fixCurrency' : 'createSubscription'),
    ...(session.discountId === undefined ? [] : [command('confirmRedemption')]),
  ];
  return { state, events: [completed(invoice)], commands };
}

// The invoice first: whoever asks the discount finds that nothing uses it any more.
function end(session: Session): SessionTransition {
  const release = session.discountId === undefined ? [] : [command('releaseRedemption')];
  return {
    state: { ...session, phase: 'EXPIRED', payment: undefined, challenge: undefined },
    events: [],
    commands: [command('voidInvoice'), ...release],
  };
}

function backToReady(session: Session): Session {
  return { ...session, phase: 'READY', payment: undefined, challenge: undefined };
}

function isUnpaid(record: SessionRecord): record is Session {
  if (record.isTombstone) return false;
  const { phase, challenge } = record;
  return phase === 'CREATING' || (phase === 'READY' && challenge === undefined);
}

function isIn(record: SessionRecord, phase: SessionPhase): record is Session {
  return !record.isTombstone && record.phase === phase;
}

function command(type: string): Command {
  return { type, payload: {} };
}

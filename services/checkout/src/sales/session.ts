import type { Recurrence } from '@billing/kernel/billing-period';
import type { Currency } from '@billing/kernel/currency';
import { type Command, only, type Transition, unchanged } from '@billing/kernel/transition';
import type { CollectionMethod } from '../invoice/invoice';
import { completed, type InvoiceForm } from './session-announcement';

/** CREATING, READY and PAYING are OPEN to callers; the others are final. */
export type SessionPhase = 'CREATING' | 'READY' | 'PAYING' | 'COMPLETE' | 'EXPIRED';

/**
 * Customer, price and discount at the time of creation, as text that only the edges read: shown,
 * and passed to the subscription.
 */
interface Snapshots {
  readonly customer: string;
  readonly price: string;
  /** Redeemed terms; undefined until the redemption. */
  readonly discount: string | undefined;
}

/** The purchase at the terms of the session's creation. */
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
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
  /** Items after the main one, which the fields above describe; undefined: none. */
  readonly otherItems?: readonly OfferedItem[] | undefined;
}

/** An item of a purchase in addition to the main one, at the terms of the session's creation. */
export interface OfferedItem extends Pick<
  Offer,
  'productId' | 'productName' | 'productDescription' | 'priceId' | 'quantity' | 'taxCategory'
> {
  /** Price as text that only the edges read. */
  readonly price: string;
}

/** Ids of all products of a purchase. */
export function productIdsOf({
  productId,
  otherItems = [],
}: Pick<Offer, 'productId' | 'otherItems'>): string[] {
  return [productId, ...otherItems.map((item) => item.productId)];
}

/** Payment of the session's invoice. */
export interface PaymentPlan {
  /** Idempotency key: the same key is the same attempt at the invoice. */
  readonly paymentKey: string;
  /** Undefined if nothing is due and no card is required. */
  readonly paymentMethodId: string | undefined;
  /** Address to which a payer returns from the provider's own page. */
  readonly returnUrl: string;
  /** Amount that the payer was shown; undefined: not compared. */
  readonly expectedAmount?: bigint | undefined;
}

/** A running payment. */
export interface RunningPayment extends PaymentPlan {
  /** Real time; the lease runs from here. */
  readonly claimedAt: Date;
  /**
   * Number of an invoice payment that is recorded as failed and has succeeded: the session is held
   * until its invoice is settled with it. Undefined for a payment made now.
   */
  readonly latePayment?: number | undefined;
}

/** A payment that waits for its payer. */
export interface Challenge extends PaymentPlan {
  /** Number of the attempt at the invoice. */
  readonly attempt: number;
  /** Page of the provider that asks the payer; undefined if we show the challenge. */
  readonly redirectUrl: string | undefined;
}

interface PaymentError {
  readonly code: string;
  /** Environment time. */
  readonly at: Date;
}

/** Redemption that a typed code holds. */
interface HeldCodeRedemption {
  readonly round: number;
  readonly holderId: string;
  /** Expiry of the session once the code is removed. Absent: the code has not shortened it. */
  readonly plainExpiresAt?: Date;
}

/** Codes that the payer of a session has typed. */
export interface TypedCodes {
  /** Number of rounds: each accepted, removed or abandoned code is one. */
  readonly round: number;
  /** Number of codes that were not valid. */
  readonly wrong: number;
  /** Number of invoices that a code, or its removal, has replaced. */
  readonly replacements: number;
  /** Redemption of the session's discount; undefined: no typed code is in force. */
  readonly held: HeldCodeRedemption | undefined;
  /** Invoice that the present one has replaced; undefined: none. */
  readonly replacedInvoiceId: string | undefined;
}

/** A purchase by one customer. */
export interface Session extends Offer {
  readonly id: string;
  readonly isTombstone: false;
  readonly phase: SessionPhase;
  readonly customerId: string;
  readonly collectionMethod: CollectionMethod;
  readonly discountId: string | undefined;
  /**
   * The discount comes from the link: if it cannot be redeemed, the session sells at the full
   * price.
   */
  readonly isDiscountOptional: boolean;
  /** True if the link's discount could not be redeemed. */
  readonly isDiscountLost: boolean;
  readonly checkoutLinkId: string | undefined;
  readonly successUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  /** Supported BCP 47 tag of its pages; undefined: none. */
  readonly locale?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly snapshots: Snapshots;
  readonly expiresAt: Date;
  /** Real time after which a session that is still CREATING is abandoned. */
  readonly abandonAt: Date;
  /** Reason why the session could not be created, returned to its caller. */
  readonly refusal: Refusal | undefined;
  /** While EXPIRED; undefined if it ended before reasons were recorded. */
  readonly endReason: EndReason | undefined;
  /** Derived, and known before the invoice exists. A typed code replaces it. */
  readonly invoiceId: string;
  /**
   * Price of the purchase after its discount; undefined until known, and permanently if the session
   * was never READY. Tax that is added to it is on the invoice.
   */
  readonly total: bigint | undefined;
  /** Hash by which the page is found; undefined if the page is stored as a document of its own. */
  readonly pageHash: string | undefined;
  /** While PAYING. */
  readonly payment: RunningPayment | undefined;
  /** While READY. */
  readonly challenge: Challenge | undefined;
  readonly lastPaymentError: PaymentError | undefined;
  readonly completedAt: Date | undefined;
  /** Derived; undefined for a one-time purchase. */
  readonly subscriptionId: string | undefined;
  /** Digest of the discount that a preview has promised. Absent: none was. */
  readonly promisedDiscount?: string | undefined;
  /** Its page takes discount codes. Absent means false. */
  readonly allowsCodes?: boolean | undefined;
  /** Undefined: no code was typed. */
  readonly codes?: TypedCodes | undefined;
  /**
   * True once all work after the end is done: the subscription is created, or the invoice is void
   * and the redemption free.
   */
  readonly isDelivered: boolean;
  /** True once the expiry was announced, after the invoice was voided. */
  readonly isVoidAnnounced: boolean;
}

/**
 * Takes the place of a session that must never be created, because its redemption was given back.
 */
interface SessionTombstone {
  readonly id: string;
  readonly isTombstone: true;
}

/** Record under a session's id. */
export type SessionRecord = Session | SessionTombstone;

/** Session of a record that cannot be a tombstone, because the caller has seen the session. */
export function sessionOf(record: SessionRecord): Session {
  if (record.isTombstone) throw new Error(`Session ${record.id} is a tombstone`);
  return record;
}

/** Reason why a session can never be paid. */
type EndReason = 'EXPIRED' | 'WITHDRAWN' | 'REPLACED' | 'INVOICE_CLOSED' | 'NOT_CREATED';

/** Reason why a session could not be created. */
export type Refusal = 'DISCOUNT_NOT_VALID' | 'ABANDONED';

/** Input of a session. */
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
    | 'locale'
    | 'metadata'
    | 'snapshots'
    | 'abandonAt'
    | 'invoiceId'
    | 'subscriptionId'
    | 'total'
    | 'pageHash'
    | 'allowsCodes'
    | 'promisedDiscount'
  > & {
    /**
     * True if created on the link's public page, whose visitors hold redemptions for a short time.
     */
    readonly isForVisitor: boolean;
  };

/** Decision of a rule about a session. */
export type SessionTransition = Transition<SessionRecord>;

const expiresAfterMs = 24 * 60 * 60 * 1000;
/** Visitors who do not pay must not block a limited discount for others. */
const visitorHoldsForMs = 30 * 60 * 1000;
/** Long enough for a provider to answer; afterwards another worker may resume a running payment. */
const resumeAfterMs = 30_000;

/**
 * Creates a session. Its commands reserve the discount and create the invoice, and only then is the
 * session returned to a caller. Nothing can refuse a READY session, so a number taken for its
 * invoice is certain to get an invoice, even if only to be voided.
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
    endReason: undefined,
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

/** Tombstone of a session that does not exist (yet). */
export function sessionTombstone(id: string): SessionTransition {
  return { state: { id, isTombstone: true }, events: [], commands: [] };
}

/**
 * Resumes the work of an earlier request for its retry; from now on only the retry may abandon the
 * session.
 */
export function resumeCreation(record: SessionRecord, abandonAt: Date): SessionTransition {
  if (!isUnpaid(record) || record.abandonAt >= abandonAt) return unchanged(record);
  return only({ ...record, abandonAt });
}

/**
 * Makes the session READY on the terms of the reserved discount, which fix the amount owed. An
 * ended session stays as it is.
 */
export function makeReady(
  record: SessionRecord,
  { total, discount }: { readonly total: bigint; readonly discount: string | undefined },
): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  const snapshots = { ...record.snapshots, discount };
  return only({ ...record, phase: 'READY', total, snapshots });
}

/**
 * Makes the session READY at the full price, because the discount of its link cannot be redeemed.
 */
export function makeReadyInFull(
  record: SessionRecord,
  { total, now }: { readonly total: bigint; readonly now: Date },
): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  // The session holds no redemption, so it is not ended early.
  const expiresAt = new Date(now.getTime() + expiresAfterMs);
  const state = { ...record, discountId: undefined, isDiscountLost: true, expiresAt };
  return makeReady(state, { total, discount: undefined });
}

/** Ends a session that cannot be created. */
export function refuseSession(record: SessionRecord, refusal: Refusal): SessionTransition {
  if (!isIn(record, 'CREATING')) return unchanged(record);
  return end({ ...record, refusal }, 'NOT_CREATED');
}

/** Abandons a session whose caller no longer waits. `realNow` in real time. */
export function abandon(record: SessionRecord, realNow: Date): SessionTransition {
  if (!isIn(record, 'CREATING') || record.abandonAt > realNow) return unchanged(record);
  return end({ ...record, refusal: 'ABANDONED' }, 'NOT_CREATED');
}

/**
 * Ends a session whose caller is about to get an error instead of its address. Stays: a session
 * that a retry has resumed, that is paid, or that is being paid. `abandonAt` is the value that the
 * request set.
 */
export function abandonUnanswered(record: SessionRecord, abandonAt: Date): SessionTransition {
  if (!isUnpaid(record) || record.abandonAt.getTime() !== abandonAt.getTime()) {
    return unchanged(record);
  }
  return end({ ...record, refusal: 'ABANDONED' }, 'NOT_CREATED');
}

/** True if the session was abandoned: no retry of its request can return it. */
export function isAbandoned(record: SessionRecord): boolean {
  return !record.isTombstone && record.refusal === 'ABANDONED';
}

/**
 * Ends a session that has expired, or whose product or discount was removed. Not ended here: a
 * session with a running payment, which is waited for, and one with a challenge, which is canceled
 * first, because it may succeed.
 */
export function expire(
  record: SessionRecord,
  reason: 'EXPIRED' | 'WITHDRAWN' | 'REPLACED' = 'EXPIRED',
): SessionTransition {
  if (!isIn(record, 'READY') || record.challenge !== undefined) return unchanged(record);
  return end(record, reason);
}

/** True after the session's expiry time; at that exact time the payer still takes precedence. */
export function isPastExpiry(record: SessionRecord, now: Date): boolean {
  return isIn(record, 'READY') && record.expiresAt < now;
}

/** Ends a session that has expired at `now`; called by its scanner. */
export function expireWhenDue(record: SessionRecord, now: Date): SessionTransition {
  return isIn(record, 'READY') && record.expiresAt <= now ? expire(record) : unchanged(record);
}

/** A payment to begin, with its environment time. */
export type PaymentStart = RunningPayment & { readonly now: Date };

/**
 * Claims the session for a payment: the winner of the write pays, all others find it PAYING. An
 * expired session ends instead; if it has a challenge, the worker asks the provider first. A
 * session that is not READY stays as it is.
 */
export function startPayment(
  record: SessionRecord,
  { now, ...payment }: PaymentStart,
): SessionTransition {
  if (!isIn(record, 'READY')) return unchanged(record);
  if (isPastExpiry(record, now)) return expire(record);
  return only({ ...record, phase: 'PAYING', payment, challenge: undefined });
}

/**
 * Claims the session for a payment that is recorded as failed and has succeeded. The hold also
 * replaces that payment if it still runs here: the failure that it would record must not end the
 * hold.
 */
export function holdForLate(record: SessionRecord, hold: PaymentStart): SessionTransition {
  if (!isIn(record, 'PAYING')) return startPayment(record, hold);
  const { payment } = record;
  const isOther = payment?.paymentKey !== hold.paymentKey;
  if (isOther || payment.latePayment === hold.latePayment) return unchanged(record);
  const { claimedAt, latePayment } = hold;
  return only({ ...record, payment: { ...payment, claimedAt, latePayment } });
}

/**
 * Claims the session to continue the attempt that waits for its payer; any other state stays as it
 * is.
 */
export function resumeChallenge(
  record: SessionRecord,
  { attempt, claimedAt }: Pick<Challenge, 'attempt'> & Pick<RunningPayment, 'claimedAt'>,
): SessionTransition {
  if (!isIn(record, 'READY') || record.challenge?.attempt !== attempt) return unchanged(record);
  const { attempt: _attempt, redirectUrl: _redirectUrl, ...plan } = record.challenge;
  const payment = { ...plan, claimedAt };
  return only({ ...record, phase: 'PAYING', payment, challenge: undefined });
}

/** Outcome of a payment according to the invoice. */
export type PaymentResult =
  | {
      readonly kind: 'PAID';
      readonly invoiceId: string;
      readonly paidAt: Date;
      readonly invoice: InvoiceForm;
      /** True if the payer may have typed facts about the buyer. Absent means false. */
      readonly isTaxed?: boolean;
    }
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  | ({ readonly kind: 'WAITING' } & Pick<Challenge, 'attempt' | 'redirectUrl'>)
  /** Another amount than the expected one is due, and nothing was charged. */
  | { readonly kind: 'AMOUNT_CHANGED' }
  /** The invoice can be paid no more, and nothing was charged. */
  | { readonly kind: 'NOT_OPEN' };

/**
 * Records the outcome of the payment with a key. PAID completes the session, with any key, unless a
 * discount code has replaced the invoice; other outcomes count only for the running or waiting
 * payment, and a hold for a late payment ends only with its own settlement. An ended session is
 * never charged: its PAID invoice is a bug.
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
  if (result.kind === 'PAID') {
    return result.invoiceId === record.invoiceId ? complete(record, result) : unchanged(record);
  }
  const running = record.payment ?? record.challenge;
  if (running?.paymentKey !== paymentKey) return unchanged(record);
  if (record.payment?.latePayment !== latePayment) return unchanged(record);
  switch (result.kind) {
    case 'NOT_OPEN':
      return end(record, 'INVOICE_CLOSED');
    case 'AMOUNT_CHANGED':
      return only(backToReady(record));
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

/** True if the payer must give a card, because an amount is due now or after the trial. */
export function asksForCard({ total, trialDays }: Pick<Session, 'total' | 'trialDays'>): boolean {
  return total !== 0n || trialDays > 0;
}

/** True if a payment of the session runs. */
export function isPaying(record: SessionRecord): boolean {
  return isIn(record, 'PAYING');
}

/** True if no payment of the session is in progress. */
export function isSettled(record: SessionRecord): boolean {
  return isIn(record, 'COMPLETE') ? record.isDelivered : !isPaying(record);
}

/** Environment time at which the session expires. */
export function expiryOf(record: SessionRecord): Date | undefined {
  return isIn(record, 'READY') ? record.expiresAt : undefined;
}

/** Real time from which any worker may resume unfinished work. */
export function sessionResumeAt(record: SessionRecord): Date | undefined {
  if (record.isTombstone) return undefined;
  if (record.phase === 'CREATING') return record.abandonAt;
  if (record.payment === undefined) return undefined;
  return new Date(record.payment.claimedAt.getTime() + resumeAfterMs);
}

type Paid = Extract<PaymentResult, { kind: 'PAID' }>;

function complete(
  session: Session,
  { paidAt: completedAt, invoice, isTaxed }: Paid,
): SessionTransition {
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
  // Steps that the payer waits for come before those that only update a count.
  const commands = [
    // A subscription fixes the customer's currency as it is created.
    command(session.subscriptionId === undefined ? 'fixCurrency' : 'createSubscription'),
    ...(session.discountId === undefined ? [] : [command('confirmRedemption')]),
    ...(isTaxed === true ? [command('fillCustomer')] : []),
  ];
  return { state, events: [completed(invoice)], commands };
}

// The invoice first, so that the discount service finds the redemption unused when it asks.
function end(session: Session, endReason: EndReason): SessionTransition {
  const release = session.discountId === undefined ? [] : [command('releaseRedemption')];
  return {
    state: { ...session, phase: 'EXPIRED', endReason, payment: undefined, challenge: undefined },
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

import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { answerBy, type CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import { invalidInput, notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { RefusedAttemptStore } from '../collection/refused-attempt-store';
import type { PaymentMethodStore } from '../payment-method/store';
import { isOfferGone } from '../peer/product';
import type { Peers } from '../peer/peers';
import { removesCode } from './discount-code';
import { asksForCard, isPastExpiry, isSettled, productIdsOf, type SessionRecord } from './session';
import type { SessionPreparer } from './session-preparation-worker';
import type { SessionWorker } from './session-worker';

export interface SessionPaymentDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly methods: PaymentMethodStore;
  readonly refused: RefusedAttemptStore;
  readonly peers: Peers;
  readonly worker: SessionWorker;
  readonly preparer: SessionPreparer;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

type StoredSession = Stored<SessionRecord>;

/**
 * Pays a session and waits until its purchase is delivered. Refuses a client with too many refused
 * payments.
 */
export async function paySession(
  {
    id,
    paymentMethodId,
    returnUrl,
    clientNetwork,
    expectedAmount,
  }: {
    readonly id: string;
    readonly paymentMethodId?: string | undefined;
    readonly returnUrl: string;
    readonly clientNetwork?: string | undefined;
    /** Amount that the payer was shown; undefined: not compared. */
    readonly expectedAmount?: bigint | undefined;
  },
  context: CallContext,
  dependencies: SessionPaymentDependencies,
): Promise<StoredSession> {
  const { worker, refused } = dependencies;
  const stored = await currentSession(id, context, dependencies);
  await checkMethod(stored.state, paymentMethodId, context, dependencies);
  const pay = async () => {
    const claimed = await worker.pay(id, { paymentMethodId, returnUrl, expectedAmount }, context);
    return untilSettled(claimed, context, dependencies);
  };
  const client = { resourceId: id, network: clientNetwork };
  return refused.count({ client, pay, isCounted: countedFor(stored) }, context);
}

/** Continues a payment after its payer has answered, and waits until the purchase is delivered. */
export async function answerSessionChallenge(
  {
    id,
    attempt,
    approved,
    clientNetwork,
  }: {
    readonly id: string;
    readonly attempt: number;
    readonly approved?: boolean | undefined;
    readonly clientNetwork?: string | undefined;
  },
  context: CallContext,
  dependencies: SessionPaymentDependencies,
): Promise<StoredSession> {
  const { worker, refused } = dependencies;
  const stored = await known(id, context, dependencies);
  const pay = async () => {
    const claimed = await worker.answerChallenge(id, { attempt, approved }, context);
    return untilSettled(claimed, context, dependencies);
  };
  const client = { resourceId: id, network: clientNetwork };
  const counted = { client, pay, isCounted: countedFor(stored) };
  return refused.count(counted, context, { isBegun: true });
}

/** Session after earlier due work; throws for an unknown session. */
export async function currentSession(
  id: string,
  context: CallContext,
  dependencies: SessionPaymentDependencies,
): Promise<StoredSession> {
  return endIfDue(await known(id, context, dependencies), context, dependencies);
}

// A payment that waits for its payer is not refused yet; one that has no outcome may be. Each
// failure is recorded in the write that ends its payment.
function countedFor(before: StoredSession) {
  return (after: StoredSession): boolean => {
    if (after.state.isTombstone || after.state.phase !== 'READY') return true;
    const { challenge, lastPaymentError } = after.state;
    const isFailed = challenge === undefined && lastPaymentError !== undefined;
    return isFailed && after.version > before.version;
  };
}

async function known(
  id: string,
  context: CallContext,
  { sessions }: SessionPaymentDependencies,
): Promise<StoredSession> {
  const stored = await sessions.within(context).get(id);
  if (stored.state.isTombstone) throw notFound('Checkout session');
  return stored;
}

/**
 * Applies earlier due work before this call: ends a session that has expired, or whose product or
 * discount was removed. A typed code whose discount was removed is taken off instead, once no
 * payment waits for its payer.
 */
async function endIfDue(
  stored: StoredSession,
  context: CallContext,
  { worker, preparer, peers }: SessionPaymentDependencies,
): Promise<StoredSession> {
  const { state } = stored;
  if (state.isTombstone || state.phase !== 'READY') return stored;
  if (isPastExpiry(state, context.now)) return worker.expireDue(state.id, context);
  const productIds = productIdsOf(state);
  const isGone = (discountId: string | undefined) =>
    isOfferGone(peers, { productIds, discountId }, context);
  if (!(await isGone(state.discountId))) return stored;
  const isCodeGone = state.codes?.held !== undefined && !(await isGone(undefined));
  if (!isCodeGone) return worker.withdraw(state.id, context);
  return removesCode(state) ? preparer.removeCode(state, context) : stored;
}

// A method of another customer counts as unknown.
async function checkMethod(
  session: SessionRecord,
  paymentMethodId: string | undefined,
  context: CallContext,
  { methods }: SessionPaymentDependencies,
): Promise<void> {
  if (session.isTombstone || session.phase !== 'READY') return;
  if (paymentMethodId === undefined) {
    if (asksForCard(session)) throw invalidInput({ paymentMethodId: ['Required'] });
    return;
  }
  const method = await unlessNotFound(methods.get(paymentMethodId, context));
  if (method?.customerId !== session.customerId) {
    throw invalidInput({ paymentMethodId: ['Payment method not found'] });
  }
}

/**
 * Waits until the purchase is delivered, within the call's deadline. The payment is stored: after
 * an error of the wait the answer is the known state.
 */
function untilSettled(
  known: StoredSession,
  context: CallContext,
  { sessions, logger }: SessionPaymentDependencies,
): Promise<StoredSession> {
  const { id: sessionId } = known.state;
  const isReached = ({ state }: StoredSession) => isSettled(state);
  const waited = sessions.waitFor(sessionId, context, { isReached, until: answerBy(context) });
  return elseAsWritten(known, waited, { logger, sessionId });
}

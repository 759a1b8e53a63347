import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import { codeOf, findCode, holdCode } from '../peer/discount';
import {
  applyCode,
  codeRedemptionOf,
  countWrongCode,
  nextCodeRound,
  refuseRound,
  removesCode,
  takesCode,
} from './discount-code';
import { currentSession, type SessionPaymentDependencies } from './pay-session';
import { totalOfPurchase } from './purchase';
import { productIdsOf, type SessionRecord } from './session';
import { paymentInProgress } from './session-worker';

type StoredSession = Stored<SessionRecord>;

/**
 * Puts a typed code in force. The redemption is held first, under an id of its round, so that the
 * write that decides the round is the only one that may use it.
 */
export async function applyDiscountCode(
  { id, code }: { readonly id: string; readonly code: string },
  context: CallContext,
  dependencies: SessionPaymentDependencies,
): Promise<StoredSession> {
  const { sessions, peers, preparer } = dependencies;
  const stored = await currentSession(id, context, dependencies);
  const { state } = stored;
  if (isDone(state, code)) return stored;
  if (!takesCode(state)) throw codeNotValid();
  // The invoice that is to be replaced may still be missing after a crash.
  await preparer.invoiceOf(state, context);
  const round = nextCodeRound(state);
  // The redemption is held before the session stores the code: a call that is too late is refused
  // here, and one that is too late afterwards stores no code.
  context.storing?.pass();
  const { environmentId } = context.tenant;
  const holderId = derivedId(environmentId, 'redemption', id, round);
  // A call that died after its reservation may have left the last redemption to this round.
  const found = await findCode(peers, { code, holderId }, context);
  const holder = { discountId: found ?? '', holderId, sessionId: id, round };
  const bought = { productIds: productIdsOf(state), currency: state.currency };
  const discount =
    found === undefined ? undefined : await holdCode(peers, { ...holder, ...bought }, context);
  context.storing?.close();
  if (found === undefined || discount === undefined) {
    await sessions.within(context).mutate(id, countWrongCode);
    throw codeNotValid();
  }
  const discountId = found;
  const snapshots = { ...state.snapshots, discount };
  const total = totalOfPurchase({ ...state, snapshots });
  const invoiceId = derivedId(environmentId, id, 'invoice', round);
  const applied = await sessions
    .within(context)
    .mutate(id, (record, now) =>
      applyCode(record, { round, holderId, discountId, discount, total, invoiceId, now }),
    );
  if (isInForce(applied.state, { discountId, holderId })) {
    return preparer.replaceInvoiceForCaller(applied, state, context);
  }
  // Another code, a payment or the end of the session came first.
  await peers.discount.releaseRedemption({ discountId, holderId }, context);
  if (isDone(applied.state, code)) return applied;
  throw codeNotValid();
}

/** Takes a typed code off again. */
export async function removeDiscountCode(
  id: string,
  context: CallContext,
  dependencies: SessionPaymentDependencies,
): Promise<StoredSession> {
  const stored = await currentSession(id, context, dependencies);
  const { state } = stored;
  refuseWhilePaying(state);
  if (!removesCode(state)) return stored;
  const removed = await dependencies.preparer.removeCode(state, context);
  refuseWhilePaying(removed.state);
  return removed;
}

/**
 * Returns the state of a redemption that a typed code holds. A round that no code has decided yet
 * is refused first, so that a call that is late finds it taken.
 */
export async function checkCode(
  record: SessionRecord,
  code: { readonly discountId: string; readonly round: number },
  context: CallContext,
  { sessions }: Pick<SessionPaymentDependencies, 'sessions'>,
): Promise<'HELD' | 'CONFIRMED' | 'RELEASED'> {
  const known = codeRedemptionOf(record, code);
  if (known !== undefined) return known;
  const { state } = await sessions
    .within(context)
    .mutate(record.id, (latest) => refuseRound(latest, code.round));
  return codeRedemptionOf(state, code) ?? 'HELD';
}

/** True if nothing is left to do: the session has ended, or has this code. */
function isDone(record: SessionRecord, code: string): boolean {
  if (record.isTombstone || record.phase === 'EXPIRED' || record.phase === 'COMPLETE') return true;
  refuseWhilePaying(record);
  const { codes, snapshots } = record;
  if (codes?.held === undefined || snapshots.discount === undefined) return false;
  return codeOf(snapshots.discount)?.toLowerCase() === code.trim().toLowerCase();
}

function isInForce(
  record: SessionRecord,
  { discountId, holderId }: { readonly discountId: string; readonly holderId: string },
): boolean {
  if (record.isTombstone) return false;
  return record.discountId === discountId && record.codes?.held?.holderId === holderId;
}

function refuseWhilePaying(record: SessionRecord): void {
  if (record.isTombstone) return;
  const { phase, challenge } = record;
  if (phase === 'PAYING' || (phase === 'READY' && challenge !== undefined)) {
    throw paymentInProgress();
  }
}

function codeNotValid(): Error {
  return invalidInput({ code: ['This code is not valid.'] });
}

import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type {
  CheckChangeRequest,
  CheckChangeResponse,
} from '@billing/proto/billing/subscription/v1/subscription';
import { redemptionStates } from '@billing/proto/values/discount';
import type { Peers } from '../peer/peers';
import type { HeldRedemption } from '../subscription/change-side';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import type { Subscriptions } from '../storage/subscription-store';
import type { Changes } from './change-store';

// Longer than any call that reserves and then stores a change.
const refusedForMs = 60 * 60 * 1000;
const refusedMax = 100;

/**
 * Returns whether a subscription has stored a change, its end or its creation, with the round, and
 * what becomes of the redemption that it holds. One that it has not stored is refused from then on,
 * so that its reservation can be released.
 */
export async function checkChange(
  { subscriptionId, changeId, round }: CheckChangeRequest,
  context: CallContext,
  { subscriptions, changes }: { readonly subscriptions: Subscriptions; readonly changes: Changes },
): Promise<CheckChangeResponse> {
  if (changeId === subscriptionId) {
    // A creation reserves under its own id. One that comes later uses another id.
    const record = await subscriptions.preventCreation(subscriptionId, context);
    return { exists: !record.isTombstone && record.reservedInvoiceId !== undefined };
  }
  const found = await unlessNotFound(subscriptions.get(subscriptionId, context));
  if (found === undefined) return { exists: false };
  const answerOf = async (state: Subscription): Promise<CheckChangeResponse> => {
    const { cancellation } = state.changes;
    // An end holds no redemption.
    if (cancellation?.id === changeId) return { exists: cancellation.reservedRound === round };
    const change = await changes.find(state, changeId, context);
    if (change?.reservedRound !== round) return { exists: false };
    return { exists: true, redemption: redemptionStates.valueOf(redemptionOf(change)) };
  };
  const answer = await answerOf(found.state);
  if (answer.exists) return answer;
  await subscriptions.record(subscriptionId, context, (current) =>
    refuseRound(current, { changeId, round }, context.now),
  );
  // The change may have been stored before the refusal.
  const { state } = await subscriptions.get(subscriptionId, context);
  return answerOf(state);
}

/** The fate of the redemption that a change has reserved. */
function redemptionOf({ status }: SubscriptionChange): 'HELD' | 'CONFIRMED' | 'RELEASED' {
  switch (status) {
    case 'PENDING':
    case 'PAYING':
      return 'HELD';
    case 'APPLIED':
      return 'CONFIRMED';
    case 'FAILED':
    case 'CANCELED':
      return 'RELEASED';
  }
}

/**
 * Returns whether a change is stored with a round, after an error of the write that stores it. What
 * the round has reserved is released only where it is certain that the change is not stored, and
 * never will be with this round. Where that stays unknown, their owners ask later; one owner that
 * is down does not keep the other from releasing.
 */
export async function isStoredElseReleased(
  {
    redemption,
    isHeldAtCheckout,
    ...reserved
  }: CheckChangeRequest & {
    /** Null: none was asked for. */
    readonly redemption: HeldRedemption | null;
    /** True: credits or a balance were asked for. */
    readonly isHeldAtCheckout: boolean;
  },
  context: CallContext,
  {
    peers,
    logger,
    ...dependencies
  }: Parameters<typeof checkChange>[2] & {
    readonly peers: Pick<Peers, 'checkout' | 'discount'>;
    readonly logger: Pick<Logger, 'warn'>;
  },
): Promise<boolean> {
  const { changeId, round } = reserved;
  try {
    const { exists } = await checkChange(reserved, context, dependencies);
    if (exists) return true;
    const credit = { changeId, round, keepBalance: false };
    const released = await Promise.allSettled<unknown>([
      redemption === null ? null : peers.discount.releaseRedemption(redemption, context),
      isHeldAtCheckout ? peers.checkout.releaseForChange(credit, context) : null,
    ]);
    const errors = released.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    if (errors.length > 0) throw new AggregateError(errors, 'Not all was released');
    return false;
  } catch (err) {
    logger.warn({ err, changeId, round }, 'reservation of a change is left to its owners');
    return false;
  }
}

/** The first round of a change that was not refused: a released one reserves nothing again. */
export function nextRound({ changes }: Pick<Subscription, 'changes'>, changeId: string): number {
  const refused = changes.refused.filter((one) => one.changeId === changeId);
  return Math.max(0, ...refused.map(({ round }) => round)) + 1;
}

function refuseRound(
  subscription: Subscription,
  { changeId, round }: { readonly changeId: string; readonly round: number },
  now: Date,
): Subscription {
  const { changes } = subscription;
  const until = new Date(now.getTime() + refusedForMs);
  const kept = changes.refused.filter((one) => one.until > now).slice(-refusedMax);
  const refused = [...kept, { changeId, round, until }];
  return { ...subscription, changes: { ...changes, refused } };
}

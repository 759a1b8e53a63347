import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { unlessNotFound } from '@billing/kernel/domain-error';
import type {
  CheckChangeRequest,
  CheckChangeResponse,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from '../peer/peers';
import type { Subscription } from '../subscription/subscription';
import type { Subscriptions } from '../subscription-store';
import type { Changes } from './change-store';

// Longer than any call that reserves and then stores a change.
const refusedForMs = 60 * 60 * 1000;
const refusedMax = 100;

/**
 * Returns whether a subscription has stored a change with the round. One that it has not is refused
 * from then on, so that its reservation can be released.
 */
export async function checkChange(
  { subscriptionId, changeId, round }: CheckChangeRequest,
  context: CallContext,
  { subscriptions, changes }: { readonly subscriptions: Subscriptions; readonly changes: Changes },
): Promise<CheckChangeResponse> {
  const found = await unlessNotFound(subscriptions.get(subscriptionId, context));
  if (found === undefined) return { exists: false };
  const isOfRound = async (state: Subscription) =>
    (await changes.find(state, changeId, context))?.reservedRound === round;
  if (await isOfRound(found.state)) return { exists: true };
  await subscriptions.record(subscriptionId, context, (current) =>
    refuseRound(current, { changeId, round }, context.now),
  );
  // The change may have been stored before the refusal.
  const { state } = await subscriptions.get(subscriptionId, context);
  return { exists: await isOfRound(state) };
}

/**
 * Returns whether a change is stored with a round, after an error of the write that stores it. What
 * the round has reserved is released only where it is certain that the change is not stored, and
 * never will be with this round. Where that stays unknown, checkout asks later.
 */
export async function isStoredElseReleased(
  reserved: CheckChangeRequest,
  context: CallContext,
  {
    peers,
    logger,
    ...dependencies
  }: Parameters<typeof checkChange>[2] & {
    readonly peers: Pick<Peers, 'checkout'>;
    readonly logger: Pick<Logger, 'warn'>;
  },
): Promise<boolean> {
  const { changeId, round } = reserved;
  try {
    const { exists } = await checkChange(reserved, context, dependencies);
    if (exists) return true;
    await peers.checkout.releaseForChange({ changeId, round, keepBalance: false }, context);
    return false;
  } catch (err) {
    logger.warn({ err, changeId, round }, 'reservation of a change is left to checkout');
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

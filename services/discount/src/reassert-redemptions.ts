import { tenantOf } from '@billing/chassis/aggregate';
import { type CallContext, neverStopping, workContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import { addCounts, visitAll } from '@billing/chassis/visit-all';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { carryOut, type RedemptionWorkerDependencies, stateOf } from './redemption-worker';
import type { SlotDocument } from './slot-document';

type Dependencies = RedemptionWorkerDependencies & {
  /** True for an environment whose data is being deleted. */
  readonly isDeleted: (environmentId: string) => boolean;
};

/**
 * Asks, after a restore, the holders of all held slots for their redemptions, and those of slots
 * that were confirmed recently. The copy of a holder may be older than its reservation, and that of
 * discount older than the decision of a holder. A holder that is missing is never created later.
 */
export async function reassertRedemptions(
  { since }: RecoveryContext,
  dependencies: Dependencies,
): Promise<StepCounts> {
  const { dueSlots, clock, logger, isDeleted } = dependencies;
  const startedAt = clock.now();
  const reassert = async (slot: SlotDocument) => {
    if (isDeleted(slot.environmentId)) return {};
    const news = await reassertRedemption(slot, dependencies);
    return { redemptions: 1, ...news };
  };
  const onFailure = (error: unknown, { _id: slot }: SlotDocument) => {
    logger.error({ err: error, slot }, 'redemption not reasserted');
    return { redemptions: 1, failed: 1 };
  };
  const counts: Record<string, number> = { redemptions: 0 };
  // Slots that are confirmed from now on need no question.
  for (const found of [dueSlots.held(), dueSlots.confirmed(since, startedAt)]) {
    addCounts(counts, await visitAll(found, reassert, onFailure));
  }
  return counts;
}

async function reassertRedemption(
  slot: SlotDocument,
  dependencies: Dependencies,
): Promise<StepCounts> {
  const { slotsOf, clock, checkAfterMs } = dependencies;
  const now = clock.now();
  const requestId = `${slot._id}/reassert`;
  const work = { at: slot.heldAt ?? now, clock, requestId, stopping: neverStopping };
  const context = workContext(tenantOf(slot), work);
  const state = await stateOfRedeemer(slot, context, dependencies);
  const slots = slotsOf(context);
  if (slot.state === 'HELD') {
    await carryOut(state, slot, slots);
    return countOf(state);
  }
  if (state === RedemptionState.REDEMPTION_STATE_CONFIRMED) return {};
  const isHeld = state === RedemptionState.REDEMPTION_STATE_HELD;
  await slots.undoConfirmation(slot, isHeld ? new Date(now.getTime() + checkAfterMs) : null);
  return isHeld ? { heldAgain: 1 } : { released: 1 };
}

/**
 * Returns the state of a redemption by its holder. If a session is lost, the subscription that it
 * created still uses the redemption.
 */
async function stateOfRedeemer(
  slot: SlotDocument,
  context: CallContext,
  { peers }: Dependencies,
): Promise<RedemptionState> {
  const sessionId = sessionOf(slot);
  if (sessionId === undefined) return stateOf(slot, context, { peers });
  const { discountId, holderCode } = slot;
  const question = { sessionId, discountId, round: holderCode?.round };
  const { state, isLost } = await peers.sessions.checkSessionRedemption(question, context);
  // A session that is not lost may still create its subscription; the question would prevent it.
  if (!isLost) return state;
  // The same id as in checkout.
  const subscriptionId = derivedId(context.tenant.environmentId, 'checkout-session', sessionId);
  const ofSubscription = { subscriptionId, discountId };
  return (await peers.subscription.checkSubscriptionRedemption(ofSubscription, context)).state;
}

function sessionOf({ holderKind, holderId, holderCode }: SlotDocument): string | undefined {
  if (holderKind === 'SESSION_CODE') return holderCode?.sessionId;
  return holderKind === 'CHECKOUT_SESSION' ? holderId : undefined;
}

function countOf(state: RedemptionState): StepCounts {
  if (state === RedemptionState.REDEMPTION_STATE_RELEASED) return { released: 1 };
  return state === RedemptionState.REDEMPTION_STATE_CONFIRMED ? { confirmed: 1 } : {};
}

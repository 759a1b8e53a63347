import { tenantOf } from '@billing/chassis/aggregate';
import { type CallContext, workContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import { addCounts, visitAll } from '@billing/chassis/visit-all';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { carryOut, type RedemptionWorkerDependencies, stateOf } from '../redemption-worker';
import type { SlotDocument } from '../slot-document';

type Dependencies = RedemptionWorkerDependencies & {
  /** True for an environment whose data is being deleted. */
  readonly isDeleted: (environmentId: string) => boolean;
};

/**
 * Asks, after a restore, the holders of all held slots for their redemptions, and those of slots
 * that were confirmed recently: the databases of holders may have been put back to before that, or
 * that of discount to before their decision. A holder that does not exist never will.
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
 * Returns the state of a redemption by its holder. The subscription that a session has created
 * stays where the session is lost, and uses its redemption.
 */
async function stateOfRedeemer(
  slot: SlotDocument,
  context: CallContext,
  { peers }: Dependencies,
): Promise<RedemptionState> {
  const state = await stateOf(slot, context, { peers });
  const isLost = state === RedemptionState.REDEMPTION_STATE_RELEASED;
  if (!isLost || slot.holderKind !== 'CHECKOUT_SESSION') return state;
  const { environmentId } = context.tenant;
  // The same id as in checkout. A session that is lost or expired never creates it.
  const subscriptionId = derivedId(environmentId, 'checkout-session', slot.holderId);
  const question = { subscriptionId, discountId: slot.discountId };
  return (await peers.subscription.checkSubscriptionRedemption(question, context)).state;
}

function countOf(state: RedemptionState): StepCounts {
  if (state === RedemptionState.REDEMPTION_STATE_RELEASED) return { released: 1 };
  return state === RedemptionState.REDEMPTION_STATE_CONFIRMED ? { confirmed: 1 } : {};
}

const { signal: neverStopping } = new AbortController();

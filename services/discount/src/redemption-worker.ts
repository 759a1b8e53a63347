import { tenantOf } from '@billing/chassis/aggregate';
import { type CallContext, workContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import type { DueSlot, DueSlotStore } from './due-slot-store';
import type { Peers } from './peers';
import type { SlotDocument } from './slot-document';
import type { SlotStore } from './slot-store';

export interface RedemptionWorkerDependencies {
  readonly dueSlots: DueSlotStore;
  readonly slotsOf: (context: Pick<CallContext, 'tenant'>) => SlotStore;
  readonly peers: Pick<Peers, 'sessions' | 'subscription'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkAfterMs: number;
}

const batchMax = 20;
// A larger backlog waits for the next round.
const batchesMax = 50;
// A session may stay open for a day; an hourly check frees an abandoned slot soon enough.
const checkIntervalMsMax = 60 * 60_000;

/**
 * Asks the services of due holders for the state of their redemption. Applies a confirmation or
 * release that was lost; a late one finds it done.
 */
export async function checkHolders(
  dependencies: RedemptionWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 1; batch <= batchesMax && !signal.aborted; batch += 1) {
    const due = await dependencies.dueSlots.findDue(dependencies.clock.now(), batchMax);
    await Promise.all(due.map((slot) => checkHolder(slot, dependencies, signal)));
    if (due.length < batchMax) return;
  }
}

/** An unresponsive service delays no other holder; its check is retried later. */
async function checkHolder(
  slot: DueSlot,
  dependencies: RedemptionWorkerDependencies,
  stopping: AbortSignal,
): Promise<void> {
  const { dueSlots, clock, logger, checkAfterMs } = dependencies;
  const again = nextCheckAt(clock.now(), slot.timesAsked, checkAfterMs);
  if (!(await dueSlots.postpone(slot, again))) return;
  const requestId = `${slot._id}/ask`;
  const context = workContext(tenantOf(slot), { at: slot.heldAt, clock, requestId, stopping });
  try {
    await carryOut(await stateOf(slot, context, dependencies), slot, dependencies.slotsOf(context));
  } catch (error) {
    logger.warn({ err: error, slot: slot._id }, 'reading redemption holder failed, retrying');
  }
}

/** Doubles the interval after each check, up to a limit. */
export function nextCheckAt(now: Date, timesAsked: number, checkAfterMs: number): Date {
  const waitMs = Math.min(
    checkAfterMs * 2 ** timesAsked,
    Math.max(checkIntervalMsMax, checkAfterMs),
  );
  return new Date(now.getTime() + waitMs);
}

/** Asks the service of a holder for the state of its redemption. */
export async function stateOf(
  { holderKind, holderId, holderChange, holderCode, discountId }: SlotDocument,
  context: CallContext,
  { peers }: Pick<RedemptionWorkerDependencies, 'peers'>,
): Promise<RedemptionState> {
  switch (holderKind) {
    case 'CHECKOUT_SESSION': {
      const request = { sessionId: holderId, discountId };
      return (await peers.sessions.checkSessionRedemption(request, context)).state;
    }
    case 'SUBSCRIPTION': {
      const request = { subscriptionId: holderId, discountId };
      return (await peers.subscription.checkSubscriptionRedemption(request, context)).state;
    }
    case 'SUBSCRIPTION_CHANGE': {
      if (holderChange === undefined || holderChange === null) {
        throw new Error('A held slot has no change');
      }
      const { exists, redemption } = await peers.subscription.checkChange(holderChange, context);
      if (!exists) return RedemptionState.REDEMPTION_STATE_RELEASED;
      return redemption ?? RedemptionState.REDEMPTION_STATE_HELD;
    }
    case 'SESSION_CODE': {
      if (holderCode === undefined || holderCode === null) {
        throw new Error('A held slot has no code');
      }
      const request = { ...holderCode, discountId };
      return (await peers.sessions.checkSessionRedemption(request, context)).state;
    }
    case null:
      throw new Error('A held slot has no holder');
  }
}

/** Applies the answer of a holder to its held slot. */
export async function carryOut(
  state: RedemptionState,
  { discountId, holderId }: SlotDocument,
  slots: SlotStore,
): Promise<void> {
  switch (state) {
    case RedemptionState.REDEMPTION_STATE_HELD:
      return;
    case RedemptionState.REDEMPTION_STATE_CONFIRMED:
      await slots.confirm(discountId, holderId);
      return;
    case RedemptionState.REDEMPTION_STATE_RELEASED:
      await slots.release(discountId, holderId, { evenConfirmed: false });
      return;
    default:
      throw new Error(`No redemption is in state ${String(state)}`);
  }
}

import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { workContext } from '@billing/chassis/work-context';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import type { AskedSlot, AskedSlotStore } from './asked-slot-store';
import type { Peers } from './peers';
import type { SlotStore } from './slot-store';

export interface RedemptionWorkerDependencies {
  readonly asked: AskedSlotStore;
  readonly slotsOf: (context: Pick<CallContext, 'tenant'>) => SlotStore;
  readonly peers: Pick<Peers, 'sessions' | 'subscription'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly askAfterMs: number;
}

const batchMax = 20;
// A larger backlog waits for the next round.
const batchesMax = 50;
// A session may stay open for a day; an hourly check frees an abandoned slot soon enough.
const askAgainMsMax = 60 * 60_000;

/**
 * Asks the services of due holders for the state of their redemption. Applies a confirmation or
 * release that was lost; a late one finds it done.
 */
export async function askHolders(
  dependencies: RedemptionWorkerDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 1; batch <= batchesMax && !signal.aborted; batch += 1) {
    const due = await dependencies.asked.findDue(dependencies.clock.now(), batchMax);
    await Promise.all(due.map((slot) => askHolder(slot, dependencies, signal)));
    if (due.length < batchMax) return;
  }
}

/** An unresponsive service delays no other holder; its check is retried later. */
async function askHolder(
  slot: AskedSlot,
  dependencies: RedemptionWorkerDependencies,
  stopping: AbortSignal,
): Promise<void> {
  const { asked, clock, logger, askAfterMs } = dependencies;
  const again = askAgainAt(clock.now(), slot.timesAsked, askAfterMs);
  if (!(await asked.putOff(slot, again))) return;
  const requestId = `${slot._id}/ask`;
  const context = workContext(slot, { at: slot.heldAt, clock, requestId, stopping });
  try {
    await carryOut(await stateOf(slot, context, dependencies), slot, dependencies.slotsOf(context));
  } catch (error) {
    logger.warn({ err: error, slot: slot._id }, 'reading redemption holder failed, retrying');
  }
}

/** Doubles the interval after each check, up to a limit. */
export function askAgainAt(now: Date, timesAsked: number, askAfterMs: number): Date {
  const waitMs = Math.min(askAfterMs * 2 ** timesAsked, Math.max(askAgainMsMax, askAfterMs));
  return new Date(now.getTime() + waitMs);
}

async function stateOf(
  { holderKind, holderId, discountId }: AskedSlot,
  context: CallContext,
  { peers }: RedemptionWorkerDependencies,
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
    case null:
      throw new Error('A held slot has no holder');
  }
}

async function carryOut(
  state: RedemptionState,
  { discountId, holderId }: AskedSlot,
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

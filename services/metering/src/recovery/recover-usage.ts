import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import { touchedMsMax, type UsageAudit } from '../audit/audit-worker';
import { type EpochStorage, isReleased, type SlotState, untilOf } from '../epoch/epoch';

/** Dependencies of the recovery of usage. */
export interface UsageRecovery {
  readonly epochs: EpochStorage;
  /** Counts what a dead slot has stored, and releases the slot. */
  readonly recoverSlot: (slot: SlotState) => Promise<void>;
  readonly audit: Pick<UsageAudit, 'recount'>;
}

/**
 * Makes stored usage whole after a restore: ends all flushes of the time before, and counts each
 * hour that may have got events in the last 36 days again from its events. Repeatable.
 */
export async function recoverUsage(
  { restore }: RecoveryContext,
  { epochs, recoverSlot, audit }: UsageRecovery,
): Promise<StepCounts> {
  const slots = await endFlushes({ epochs, recoverSlot });
  const since = new Date(restore.instant.getTime() - touchedMsMax);
  return { slots, ...(await audit.recount(since)) };
}

/** Treats every slot as dead: the processes that had them do not use this data any more. */
async function endFlushes({
  epochs,
  recoverSlot,
}: Pick<UsageRecovery, 'epochs' | 'recoverSlot'>): Promise<number> {
  const found = (await epochs.findSlots()).filter((slot) => !isReleased(slot));
  for (const writer of new Set(found.map((slot) => slot.writer))) await epochs.fence(writer);
  for (const { id } of found) {
    const slot = await epochs.findSlot(id);
    if (slot !== undefined) await recoverSlot(slot);
  }
  // Ends the current epoch, so that `until` covers every stored event.
  await epochs.advanceCurrent((await epochs.readEpoch()).current);
  // Read before the slots (see `untilOf`).
  const { current } = await epochs.readEpoch();
  await epochs.raiseUntil(untilOf(current, await epochs.findSlots()));
  return found.length;
}

import { retryTransient } from '@billing/chassis/mongo';
import { inPages } from '@billing/chassis/visit-all';
import type { SlotDocument } from './slot-document';
import type { SlotCollection } from './slot-store';

/** A held slot that is due for a check. */
export type DueSlot = SlotDocument & { readonly heldAt: Date; readonly askAt: Date };

/** Held slots of all environments whose holders are due for a check. */
export class DueSlotStore {
  constructor(private readonly slots: SlotCollection) {}

  /** Returns the slots that have been due longest. */
  async findDue(now: Date, limit: number): Promise<DueSlot[]> {
    const due = { askAt: { $lte: now } };
    const found = await retryTransient(() =>
      this.slots.find(due).sort({ askAt: 1 }).limit(limit).toArray(),
    );
    return found.filter(isDue);
  }

  /** All held slots. */
  held(): AsyncIterable<SlotDocument> {
    return inPages(this.slots, { askAt: { $gt: new Date(0) }, state: 'HELD' });
  }

  /** Slots that were confirmed from an instant on, and before another. */
  confirmed(since: Date, before: Date): AsyncIterable<SlotDocument> {
    const confirmedAt = { $gte: since, $lt: before };
    return inPages(this.slots, { state: 'CONFIRMED', confirmedAt });
  }

  /**
   * Postpones the check for all replicas; false if another replica or the holder changed the slot
   * first.
   */
  async postpone(
    { _id, environmentId, discountId, askAt, timesAsked }: DueSlot,
    until: Date,
  ): Promise<boolean> {
    const changes = { askAt: until, timesAsked: timesAsked + 1 };
    const { modifiedCount } = await retryTransient(() =>
      this.slots.updateOne(
        { _id, environmentId, discountId, state: 'HELD', askAt },
        { $set: changes },
      ),
    );
    return modifiedCount > 0;
  }
}

function isDue(slot: SlotDocument): slot is DueSlot {
  return slot.state === 'HELD' && slot.heldAt !== null && slot.askAt !== null;
}

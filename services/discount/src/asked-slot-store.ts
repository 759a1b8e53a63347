import { retryTransient } from '@billing/chassis/mongo';
import type { SlotDocument } from './slot-document';
import type { SlotCollection } from './slot-store';

/** A slot whose holder is to be asked. */
export type AskedSlot = SlotDocument & { readonly heldAt: Date; readonly askAt: Date };

/** Held slots of every environment whose holders have not said for long what becomes of them. */
export class AskedSlotStore {
  constructor(private readonly slots: SlotCollection) {}

  /** Those that have waited longest. */
  async findDue(now: Date, limit: number): Promise<AskedSlot[]> {
    const due = { askAt: { $lte: now } };
    const found = await retryTransient(() =>
      this.slots.find(due).sort({ askAt: 1 }).limit(limit).toArray(),
    );
    return found.filter(isAsked);
  }

  /** Puts the question off, for this and all other replicas; false where another one, or the holder itself, was faster. */
  async putOff(
    { _id, environmentId, askAt, timesAsked }: AskedSlot,
    until: Date,
  ): Promise<boolean> {
    const changes = { askAt: until, timesAsked: timesAsked + 1 };
    const { modifiedCount } = await retryTransient(() =>
      this.slots.updateOne({ _id, environmentId, state: 'HELD', askAt }, { $set: changes }),
    );
    return modifiedCount > 0;
  }
}

function isAsked(slot: SlotDocument): slot is AskedSlot {
  return slot.state === 'HELD' && slot.heldAt !== null && slot.askAt !== null;
}

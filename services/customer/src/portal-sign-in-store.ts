import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { duplicateKeyIndex, ensureIndexes } from '@billing/chassis/mongo';

/** One of the sign-ins that an address has within an hour. */
interface SignInSlot {
  readonly _id: string;
  readonly environmentId: string;
  /** Real time from which on the slot is free. */
  readonly expiresAt: Date;
}

const slotsPerHour = 3;
const hourMs = 60 * 60 * 1_000;

/** Counts the sign-ins by email, without the addresses. */
export class PortalSignInStore {
  private readonly slots: Collection<SignInSlot>;

  constructor(db: Db) {
    this.slots = db.collection<SignInSlot>('portalSignIns');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.slots, [{ name: 'expiresAt', key: { expiresAt: 1 } }]);
  }

  /** Takes a slot of an address for an hour; false if all are taken. */
  async take(environmentId: string, address: string, now: Date): Promise<boolean> {
    for (let slot = 1; slot <= slotsPerHour; slot += 1) {
      const _id = derivedId(environmentId, 'portalSignIn', address.toLowerCase(), String(slot));
      if (await this.takeFree({ _id, environmentId }, now)) return true;
    }
    return false;
  }

  private async takeFree(slot: Omit<SignInSlot, 'expiresAt'>, now: Date): Promise<boolean> {
    try {
      await this.slots.updateOne(
        { ...slot, expiresAt: { $lte: now } },
        { $set: { expiresAt: new Date(now.getTime() + hourMs) } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      // The slot exists, and is not free.
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.slots.deleteMany({ expiresAt: { $lt: now } });
  }
}

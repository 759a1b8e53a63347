import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/mongo';
import { insertedOnce } from './portal-session-store';

/** One of the sign-ins that an address has within an hour. Only inserted. */
interface SignInSlot {
  readonly _id: string;
  readonly environmentId: string;
  /** Real time. */
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

  /** Takes a slot of an address in the hour of `now`; false if all are taken. */
  async take(environmentId: string, address: string, now: Date): Promise<boolean> {
    const hour = Math.floor(now.getTime() / hourMs);
    const expiresAt = new Date((hour + 1) * hourMs);
    for (let slot = 1; slot <= slotsPerHour; slot += 1) {
      const key = [address.toLowerCase(), String(hour), String(slot)];
      const _id = derivedId(environmentId, 'portalSignIn', ...key);
      if (await insertedOnce(this.slots, { _id, environmentId, expiresAt })) return true;
    }
    return false;
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.slots.deleteMany({ expiresAt: { $lt: now } });
  }
}

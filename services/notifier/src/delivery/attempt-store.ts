import { ensureIndexes } from '@billing/chassis/mongo';
import { insertMissing } from '@billing/chassis/inserts';
import type { Collection, Db } from 'mongodb';

/** One attempt of a delivery. Immutable once written. */
export interface Attempt {
  /** UUIDv7 of the attempt: sorts by real time. */
  readonly _id: string;
  readonly environmentId: string;
  readonly deliveryId: string;
  /** Real time of the start. */
  readonly at: Date;
  readonly durationMs: number;
  /** Null without a response. */
  readonly responseStatus: number | null;
  /** The beginning of the response body. */
  readonly responseBody: string | null;
  /** The reason for a missing response. */
  readonly error: string | null;
}

/** Stores the attempts. */
export class AttemptStore {
  private readonly attempts: Collection<Attempt>;

  constructor(db: Db) {
    this.attempts = db.collection<Attempt>('attempts');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.attempts, [
      { name: 'delivery', key: { environmentId: 1, deliveryId: 1, _id: 1 } },
    ]);
  }

  async insert(attempts: readonly Attempt[]): Promise<void> {
    await insertMissing(this.attempts, attempts);
  }
}

import { ensureIndexes } from '@billing/chassis/indexes';
import { insertMissing } from '@billing/chassis/insert-missing';
import type { Collection, Db } from 'mongodb';

/** One try at a delivery. Written once, never changed. */
export interface Attempt {
  /** A v7 UUID of the attempt: sorts by real time. */
  readonly _id: string;
  readonly environmentId: string;
  readonly deliveryId: string;
  /** Real time of its start. */
  readonly at: Date;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly responseStatus: number | null;
  /** The beginning of the answer's body. */
  readonly responseBody: string | null;
  /** Why no answer came. */
  readonly error: string | null;
}

/** What was tried. */
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

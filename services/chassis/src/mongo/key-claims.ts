import type { Collection, Db } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { type BeforeWrite, InsertBatches, insertMissing } from './inserts';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from './mongo';

/** Claim of a value that at most one document may have. */
export interface KeyClaim {
  /** `<environment>:<collection>.<field>:<value>`, without the environment if unique in all. */
  readonly _id: string;
  /** Environment of the holder; the claim is deleted together with it. */
  readonly environmentId: string;
  /** Id of the document that has, or is about to have, the value. */
  readonly holder: string;
  /** Version of the holder that is written with the value; 1 for an insert. */
  readonly version: number;
}

// Each further attempt follows a change of the claim by another writer.
const attemptsMax = 8;
const adoptedAtOnce = 1_000;

/**
 * Claims of values that are unique. A sharded collection enforces uniqueness only for its shard
 * key, so the value is the `_id` of a claim, which is stored before its holder. The document of the
 * holder remains the truth: a claim whose holder does not have the value, and cannot get it any
 * more, is taken over.
 */
export class KeyClaims {
  private readonly claims: Collection<KeyClaim>;
  private readonly inserts: InsertBatches<KeyClaim>;

  constructor(db: Db) {
    this.claims = db.collection<KeyClaim>('keyClaims');
    this.inserts = new InsertBatches(this.claims);
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.claims, [{ name: 'environment', key: { environmentId: 1 } }]);
  }

  /** Stores a claim, unless another holder has one. Returns the claim of the other holder. */
  async take(claim: KeyClaim, beforeWrite?: BeforeWrite): Promise<KeyClaim | undefined> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      try {
        await this.inserts.insert(claim, beforeWrite);
        return undefined;
      } catch (error) {
        if (duplicateKeyIndex(error) === undefined) throw error;
      }
      const found = await this.find(claim._id);
      // Released since the insert.
      if (found === undefined) continue;
      if (found.holder !== claim.holder) return found;
      if (found.version >= claim.version || (await this.takeOver(found, claim))) return undefined;
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  /** Replaces a claim; false if it has changed since it was read. */
  async takeOver({ _id, holder, version }: KeyClaim, claim: KeyClaim): Promise<boolean> {
    const { holder: next, version: nextVersion, environmentId } = claim;
    const change = { $set: { holder: next, version: nextVersion, environmentId } };
    const { matchedCount } = await retryTransient(() =>
      this.claims.updateOne({ _id, holder, version }, change),
    );
    return matchedCount > 0;
  }

  /** Removes a claim that the holder gave up with the write of `version`. */
  async release({ _id, holder, version }: Omit<KeyClaim, 'environmentId'>): Promise<void> {
    const released = { _id, holder, version: { $lte: version } };
    await retryTransient(() => this.claims.deleteOne(released));
  }

  async find(_id: string): Promise<KeyClaim | undefined> {
    return (await retryTransient(() => this.claims.findOne({ _id }))) ?? undefined;
  }

  /** Stores claims of documents that an earlier version stored under a unique index. */
  async adopt(claims: AsyncIterable<KeyClaim>): Promise<void> {
    let batch: KeyClaim[] = [];
    for await (const claim of claims) {
      batch.push(claim);
      if (batch.length < adoptedAtOnce) continue;
      await insertMissing(this.claims, batch);
      batch = [];
    }
    await insertMissing(this.claims, batch);
  }
}

import type { Collection, Db } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { sleep } from '../clock';
import { KeyedMutex } from '../concurrency/keyed-mutex';
import { jitter, randomHex } from '../ids';
import type { BeforeWrite } from '../mongo/inserts';
import { type KeyClaim, KeyClaims } from '../mongo/key-claims';
import { duplicateKeyIndex, retireUniqueIndex, retryTransient } from '../mongo/mongo';
import type { AggregateDefinition, AggregateDocument, NaturalKey } from './aggregate';
import type { DocumentBatches } from './document-batches';

/** Write of an aggregate whose value may change. */
export interface ClaimingWrite<S> {
  /** Undefined for an insert. */
  readonly before: S | undefined;
  readonly after: S;
  /** Document that is written. */
  readonly document: Pick<AggregateDocument, '_id' | 'environmentId' | 'version'>;
  readonly beforeWrite?: BeforeWrite | undefined;
}

/** Stores of the aggregates and of the claims. */
interface Stores {
  readonly db: Db;
  readonly documents: Collection<AggregateDocument>;
  readonly batches: DocumentBatches;
}

// A holder that is not written within a second has crashed, or is fenced.
const pollMs = 100;
const pollsMax = 10;
const attemptsMax = 30;
const writeIdBytes = 16;

/**
 * Value of `environmentId` in the fences of an environment: no reader takes a fence for an
 * aggregate, and the deletion of the environment finds it.
 */
export function fencesOf(environmentId: string): string {
  return `fences:${environmentId}`;
}

/**
 * Claims values of a natural key before the aggregate that gets them is written. A claim names the
 * version of the write that it is for. While the holder's document is older, the write may be in
 * flight; a writer of another aggregate waits, and then fences it: by a document under the id of an
 * aggregate that does not exist yet, or by raising the version of one that does, so that the
 * compare-and-set fails. After that the claim is taken over. No step depends on a clock.
 */
export class NaturalKeyClaims<S extends { readonly id: string }> {
  private readonly mutex = new KeyedMutex();

  private readonly claims: KeyClaims;
  private readonly documents: Collection<AggregateDocument>;
  private readonly batches: DocumentBatches;

  constructor(
    private readonly definition: AggregateDefinition<S> & { readonly naturalKey: NaturalKey<S> },
    { db, documents, batches }: Stores,
  ) {
    this.claims = new KeyClaims(db);
    this.documents = documents;
    this.batches = batches;
  }

  /**
   * Creates the index of the claims. Claims the values of documents that an earlier version stored
   * under a unique index, and drops that index.
   */
  async prepare(): Promise<void> {
    await this.claims.ensureIndexes();
    const { field } = this.definition.naturalKey;
    await retireUniqueIndex(this.documents, field, () => this.claims.adopt(this.unclaimed()));
  }

  /**
   * Writes an aggregate: claims its value before, and releases a value that it replaced. Throws the
   * error of the definition if another aggregate has the value. `write` returns false if it lost a
   * race.
   */
  async write(change: ClaimingWrite<S>, write: () => Promise<boolean>): Promise<boolean> {
    const { before, after, document, beforeWrite } = change;
    const { _id: holder, environmentId, version } = document;
    const held = before && this.idOf(before, environmentId);
    const wanted = this.idOf(after, environmentId);
    if (wanted === held) return write();
    const claimed = async () => {
      if (wanted !== undefined) {
        await this.take({ _id: wanted, environmentId, holder, version }, beforeWrite);
      }
      return write();
    };
    // Concurrent writers of this process need not wait for each other's claims.
    const isWritten = await (wanted === undefined
      ? claimed()
      : this.mutex.runExclusive([wanted], claimed));
    if (isWritten && held !== undefined) await this.release({ _id: held, holder, version });
    return isWritten;
  }

  /**
   * Releases a value that an aggregate had abandoned, in case the process that wrote the aggregate
   * has stopped in between.
   */
  async releaseAbandoned(given: S, environmentId: string): Promise<void> {
    const _id = this.idOf(given, environmentId);
    if (_id === undefined) return;
    await this.claims.release({ _id, holder: given.id, version: Number.MAX_SAFE_INTEGER });
  }

  private async *unclaimed(): AsyncGenerator<KeyClaim> {
    for await (const document of this.documents.find({ isFence: { $exists: false } })) {
      const { environmentId, _id: holder, version } = document;
      const _id = this.claimOf(document);
      if (_id !== undefined) yield { _id, environmentId, holder, version };
    }
  }

  private async take(claim: KeyClaim, beforeWrite: BeforeWrite | undefined): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const found = await this.claims.take(claim, beforeWrite);
      if (found === undefined || (await this.takeFrom(found, claim, attempt))) return;
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  // A claim that is left over is taken over by the next writer that wants the value, so a failure
  // must not hide that the aggregate was written.
  private async release(claim: Omit<KeyClaim, 'environmentId'>): Promise<void> {
    await this.claims.release(claim).catch(() => undefined);
  }

  private async takeFrom(found: KeyClaim, claim: KeyClaim, attempt: number): Promise<boolean> {
    const holder = await this.batches.find(found.holder, found.environmentId);
    if (holder !== undefined && this.claimOf(holder) === found._id) {
      throw this.definition.naturalKey.taken();
    }
    const isOver = holder !== undefined && holder.version >= found.version;
    if (!isOver && attempt <= pollsMax) {
      await sleep(pollMs * jitter(0.5));
      return false;
    }
    return (isOver || (await this.fence(found, holder))) && this.claims.takeOver(found, claim);
  }

  /** Makes the write of a claim impossible; false if the holder was written since it was read. */
  private async fence(found: KeyClaim, holder: AggregateDocument | undefined): Promise<boolean> {
    if (holder === undefined) return this.fenceInsert(found);
    const { _id: id, environmentId, version } = holder;
    const writeId = randomHex(writeIdBytes);
    const update = { $set: { version: version + 1, lastWrite: writeId } };
    return this.batches.compareAndSet({ id, environmentId, version, writeId, update });
  }

  private async fenceInsert({ holder, environmentId }: KeyClaim): Promise<boolean> {
    const fence = { _id: holder, environmentId: fencesOf(environmentId), isFence: true };
    try {
      await retryTransient(() => this.documents.insertOne(fence as unknown as AggregateDocument));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return (await this.batches.find(holder, environmentId)) === undefined;
    }
  }

  private idOf(state: S, environmentId: string): string | undefined {
    const { collection, naturalKey } = this.definition;
    const value = naturalKey.valueOf(state);
    if (value === null) return undefined;
    return `${environmentId}:${collection}.${naturalKey.field}:${value}`;
  }

  private claimOf(document: AggregateDocument): string | undefined {
    return this.idOf(this.definition.fromDocument(document), document.environmentId);
  }
}

import type { Collection, Db, Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { insertMissing } from '@billing/chassis/inserts';
import { deleteBatch } from '@billing/chassis/old-documents';
import type { Logger } from '@billing/chassis/logging';
import {
  type AuditDocument,
  fromAuditDocument,
  toAuditDocument,
  toStoredChange,
  toStoredTarget,
} from './audit-document';
import type { AuditEntry, AuditFilter, AuditRange } from './audit-entry';

const endOfTime = new Date(8.64e15);
// A larger exact number has no use, and the cost of counting grows with the number.
const countMax = 10_000;
const exportBatchMax = 500;

interface ListRange {
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst?: boolean;
}

/** Stores the changes made by operators, keys and the system. */
export class AuditStore {
  private readonly entries: Collection<AuditDocument>;

  constructor(
    db: Db,
    /** Receives a copy of each entry once its outcome is known; undefined: no copies. */
    private readonly copies?: Logger,
  ) {
    this.entries = db.collection<AuditDocument>('auditEntries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.entries, [
      { name: 'list', key: { environmentId: 1, at: -1, _id: -1 } },
      { name: 'actor', key: { environmentId: 1, actorId: 1, at: -1, _id: -1 } },
      { name: 'target', key: { environmentId: 1, targetId: 1, at: -1, _id: -1 } },
      { name: 'targetCustomer', key: { environmentId: 1, targetCustomerId: 1, at: -1, _id: -1 } },
      { name: 'at', key: { at: 1 } },
    ]);
  }

  /**
   * Records a change before it is made, and returns the entry's id. A retry with the same request
   * id finds the first entry.
   */
  async begin(
    { environmentId: live }: Tenant,
    entry: Omit<AuditEntry, 'id' | 'status' | 'target' | 'changes'>,
  ): Promise<string> {
    const id = derivedId(live, 'audit', entry.actor.id, entry.requestId);
    const begun = { ...entry, id, target: undefined, changes: [], status: undefined };
    try {
      await retryTransient(() => this.entries.insertOne(toAuditDocument(live, begun)));
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
    return id;
  }

  /** Records the outcome; the first one counts. */
  async end(
    { environmentId }: Tenant,
    id: string,
    {
      status,
      target,
      changes,
      environmentTime,
    }: Pick<AuditEntry, 'status' | 'target' | 'changes' | 'environmentTime'>,
  ): Promise<void> {
    const $set = {
      status: status ?? null,
      environmentTime: environmentTime ?? null,
      ...toStoredTarget(target),
      changes: changes.map(toStoredChange),
    };
    const ended = await retryTransient(() =>
      this.entries.updateOne({ _id: id, environmentId, status: null }, { $set }),
    );
    if (this.copies === undefined || ended.modifiedCount === 0) return;
    const document = await retryTransient(() => this.entries.findOne({ _id: id, environmentId }));
    if (document !== null) this.copy(fromAuditDocument(document));
  }

  /**
   * Inserts entries with a known outcome; entries inserted by an earlier run of the same call stay
   * as they are.
   */
  async insert(entries: readonly { readonly live: string; readonly entry: AuditEntry }[]) {
    if (entries.length === 0) return;
    await insertMissing(
      this.entries,
      entries.map(({ live, entry }) => toAuditDocument(live, entry)),
    );
    for (const { entry } of entries) this.copy(entry);
  }

  /** Removes the name and the changed values of a resource from its entries. */
  async eraseValues({ environmentId }: Tenant, targetId: string): Promise<void> {
    const filter = { environmentId, targetId };
    const found = await retryTransient(() => this.entries.find(filter).toArray());
    for (const { _id, changes = [] } of found) {
      const blank = changes.map(({ field }) => toStoredChange({ field }));
      const update = { $set: { targetName: null, changes: blank } };
      await retryTransient(() => this.entries.updateOne({ _id, environmentId }, update));
    }
  }

  /** Newest first, or oldest first with `oldestFirst`. */
  async list(
    { environmentId }: Tenant,
    { page, perPage, oldestFirst = false, filter }: ListRange & { readonly filter: AuditFilter },
  ): Promise<{ data: AuditEntry[]; total: number; totalIsMore: boolean }> {
    const query = queryOf(environmentId, filter);
    const direction = oldestFirst ? 1 : -1;
    const [documents, counted] = await retryTransient(() =>
      Promise.all([
        this.entries
          .find(query)
          .sort({ at: direction, _id: direction })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
        this.entries.countDocuments(query, { limit: countMax + 1 }),
      ]),
    );
    const total = Math.min(counted, countMax);
    return { data: documents.map(fromAuditDocument), total, totalIsMore: counted > countMax };
  }

  /** Reads a part of an export, oldest first; fewer than 500 entries: it was the last part. */
  async export({ environmentId }: Tenant, { since, until, after }: AuditRange) {
    const at = { $gte: since ?? new Date(0), ...(until !== undefined && { $lt: until }) };
    const query: Filter<AuditDocument> = {
      environmentId,
      at: after === undefined ? at : { ...at, $gte: after.at },
      ...(after !== undefined && {
        $or: [{ at: { $gt: after.at } }, { at: after.at, _id: { $gt: after.id } }],
      }),
    };
    const documents = await retryTransient(() =>
      this.entries.find(query).sort({ at: 1, _id: 1 }).limit(exportBatchMax).toArray(),
    );
    return documents.map(fromAuditDocument);
  }

  /** Deletes one batch of entries older than a time. Returns true if there may be more. */
  deleteOlder(before: Date): Promise<boolean> {
    const filter = { at: { $lt: before } };
    return deleteBatch({ collection: this.entries, filter, sort: { at: 1 } });
  }

  private copy(audit: AuditEntry): void {
    this.copies?.info({ audit }, 'audit');
  }
}

/** The entries of an organization, stored in its live environment, that match a filter. */
function queryOf(live: string, filter: AuditFilter): Filter<AuditDocument> {
  const { actorId, targetIds = [], since, until } = filter;
  return {
    environmentId: live,
    ...(actorId !== undefined && { actorId }),
    ...(targetIds.length > 0 && {
      $or: [{ targetId: { $in: targetIds } }, { targetCustomerId: { $in: targetIds } }],
    }),
    // A range in any case: without one some servers sort all matches instead of walking the index.
    at: {
      ...(since !== undefined && { $gte: since }),
      ...(until === undefined ? { $lte: endOfTime } : { $lt: until }),
    },
  };
}

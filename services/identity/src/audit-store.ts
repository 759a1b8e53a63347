import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { Operator, Role } from './operator';

/** Something that an operator changed, or tried to. */
export interface AuditEntry {
  readonly id: string;
  /** Real time at which it began. */
  readonly at: Date;
  readonly operatorId: string;
  /** As they were then. */
  readonly operatorEmail: string;
  readonly role: Role;
  /** Method and route. */
  readonly action: string;
  /** The path as it was called, without its query. */
  readonly path: string;
  /** Where; undefined: it concerns the organisation. */
  readonly environmentId: string | undefined;
  readonly requestId: string;
  /** What was answered; undefined: not known. */
  readonly status: number | undefined;
}

interface AuditDocument {
  readonly _id: string;
  /** The live one of the organisation: all that its operators did stands in one place. */
  readonly environmentId: string;
  readonly at: Date;
  readonly operatorId: string;
  readonly operatorEmail: string;
  readonly role: Role;
  readonly action: string;
  readonly path: string;
  readonly concerns: string | null;
  readonly requestId: string;
  readonly status: number | bigint | null;
}

const endOfTime = new Date(8.64e15);

/** What operators did. Inserted before it is done, told once how it ended, never removed. */
export class AuditStore {
  private readonly entries: Collection<AuditDocument>;

  constructor(db: Db) {
    this.entries = db.collection<AuditDocument>('auditEntries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.entries, [
      { name: 'list', key: { environmentId: 1, at: -1, _id: -1 } },
    ]);
  }

  /** Gives the entry's id. A repeat under the same request id finds the first one. */
  async begin(
    { environmentId }: Tenant,
    operator: Operator,
    entry: Pick<AuditEntry, 'at' | 'action' | 'path' | 'requestId'> & {
      readonly environmentId?: string | undefined;
    },
  ): Promise<string> {
    const { environmentId: concerns = null, ...rest } = entry;
    const _id = derivedId(environmentId, 'audit', operator.id, entry.requestId);
    const { id: operatorId, email: operatorEmail, role } = operator;
    const by = { operatorId, operatorEmail, role };
    try {
      await retryTransient(() =>
        this.entries.insertOne({ _id, environmentId, ...by, ...rest, concerns, status: null }),
      );
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
    return _id;
  }

  /** The first end counts. */
  async end({ environmentId }: Tenant, id: string, status: number): Promise<void> {
    await retryTransient(() =>
      this.entries.updateOne({ _id: id, environmentId, status: null }, { $set: { status } }),
    );
  }

  /** Newest first. */
  async list(
    { environmentId }: Tenant,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ data: AuditEntry[]; total: number }> {
    const query = { environmentId, at: { $lte: endOfTime } };
    const [documents, total] = await retryTransient(() =>
      Promise.all([
        this.entries
          .find(query)
          .sort({ at: -1, _id: -1 })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
        this.entries.countDocuments(query),
      ]),
    );
    return { data: documents.map(fromDocument), total };
  }
}

function fromDocument({ _id, concerns, status, ...rest }: AuditDocument): AuditEntry {
  const { environmentId: _live, ...fields } = rest;
  return {
    id: _id,
    ...fields,
    environmentId: concerns ?? undefined,
    status: status === null ? undefined : Number(status),
  };
}

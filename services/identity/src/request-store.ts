import type { Collection, Db, Filter } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { earliestIdAt } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { insertMissing } from '@billing/chassis/insert-missing';
import { retryTransient } from '@billing/chassis/mongo';
import type { RequestEntry, RequestFilter } from './request-entry';

type Count = number | bigint;

interface RequestDocument extends Pick<RequestEntry, 'environmentId' | 'requestId' | 'at'> {
  /** The entry's id: sorts by real time. */
  readonly _id: string;
  readonly method: string;
  readonly path: string;
  readonly status: Count;
  readonly errorCode: string | null;
  readonly durationMs: Count;
  readonly traceId: string | null;
  readonly key: RequestEntry['key'] | null;
  readonly operatorEmail: string | null;
}

// Beyond it the exact number says nothing more, and counting costs as much as there is to count.
const countMax = 10_000;
const removedAtOnce = 1_000;
// Sorts after every id.
const lastId = 'g';
const lastCharacter = '\uffff';

/** Requests that wrote or failed, for people to look at. */
export class RequestStore {
  private readonly requests: Collection<RequestDocument>;

  constructor(db: Db) {
    this.requests = db.collection<RequestDocument>('requests');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.requests, [
      { name: 'list', key: { environmentId: 1, _id: -1 } },
      { name: 'requestId', key: { environmentId: 1, requestId: 1, _id: -1 } },
    ]);
  }

  /** Keeps requests; those that an earlier run of the same call has kept stay as they are. */
  async insert(entries: readonly RequestEntry[]): Promise<void> {
    await insertMissing(this.requests, entries.map(toDocument));
  }

  /** Newest first. */
  async list(
    { environmentId }: Tenant,
    {
      filter: { method, statusClass, pathPrefix, requestId },
      page,
      perPage,
    }: { filter: RequestFilter; page: number; perPage: number },
  ): Promise<{ data: RequestEntry[]; total: number }> {
    const query: Filter<RequestDocument> = {
      environmentId,
      // The range says nothing, but without one some servers sort all matches instead of walking the index.
      _id: { $lt: lastId },
      ...(method !== undefined && { method }),
      ...(statusClass !== undefined && {
        status: { $gte: statusClass * 100, $lt: (statusClass + 1) * 100 },
      }),
      ...(pathPrefix !== undefined && {
        path: { $gte: pathPrefix, $lt: `${pathPrefix}${lastCharacter}` },
      }),
      ...(requestId !== undefined && { requestId }),
    };
    const [documents, total] = await retryTransient(() =>
      Promise.all([
        this.requests
          .find(query)
          .sort({ _id: -1 })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
        this.requests.countDocuments(query, { limit: countMax }),
      ]),
    );
    return { data: documents.map(fromDocument), total };
  }

  /** Removes what was kept before a time, of all environments; ends early when the signal aborts. */
  async forget(before: Date, signal?: AbortSignal): Promise<void> {
    const old = { _id: { $lt: earliestIdAt(before) } };
    while (signal?.aborted !== true) {
      const found = await retryTransient(() =>
        this.requests
          .find(old)
          .project<Pick<RequestDocument, '_id' | 'environmentId'>>({ environmentId: 1 })
          .sort({ _id: 1 })
          .limit(removedAtOnce)
          .toArray(),
      );
      if (found.length === 0) return;
      const environmentId = { $in: [...new Set(found.map((one) => one.environmentId))] };
      const _id = { $in: found.map((one) => one._id) };
      await retryTransient(() => this.requests.deleteMany({ _id, environmentId }));
    }
  }
}

function toDocument({ id: _id, ...entry }: RequestEntry): RequestDocument {
  const { errorCode = null, traceId = null, key = null, operatorEmail = null } = entry;
  return { _id, ...entry, errorCode, traceId, key, operatorEmail };
}

function fromDocument({ _id: id, ...document }: RequestDocument): RequestEntry {
  return {
    id,
    ...document,
    status: Number(document.status),
    durationMs: Number(document.durationMs),
    errorCode: document.errorCode ?? undefined,
    traceId: document.traceId ?? undefined,
    key: document.key ?? undefined,
    operatorEmail: document.operatorEmail ?? undefined,
  };
}

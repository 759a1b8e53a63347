import { type Collection, type Db, type Filter, MongoServerError } from 'mongodb';
import { answerBy, type CallContext, type Tenant } from '@billing/chassis/call-context';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { earliestIdAt } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { deleteBatch } from '@billing/chassis/old-documents';
import { insertMissing } from '@billing/chassis/inserts';
import { escaped } from '../environment/environment-store';
import {
  isStorableBody,
  isStorableQuery,
  type LoggedBody,
  type RequestBodies,
  type RequestEntry,
  type RequestFilter,
  type RequestPage,
} from './request-entry';

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

interface BodiesDocument {
  /** The id of the request's entry. */
  readonly _id: string;
  readonly environmentId: string;
  /** Absent in documents of 0.1.0 and of requests without a query. */
  readonly query?: string;
  readonly request: LoggedBody | null;
  readonly response: LoggedBody | null;
}

// A larger exact number has no use, and the cost of counting grows with the number.
const countMax = 10_000;
// Filters without an index search this number of the newest entries: half a second of a slow
// server.
const searchedMaxDefault = 100_000;
// Sorts after every id.
const lastId = 'g';
const lastCharacter = '\uffff';

/** Requests that wrote or failed, for display. */
export class RequestStore {
  private readonly requests: Collection<RequestDocument>;
  // Apart from the entries, so that searches of many entries do not read them.
  private readonly bodies: Collection<BodiesDocument>;

  constructor(
    db: Db,
    private readonly clock: Clock = systemClock,
    private readonly searchedMax = searchedMaxDefault,
  ) {
    this.requests = db.collection<RequestDocument>('requests');
    this.bodies = db.collection<BodiesDocument>('requestBodies');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.requests, [
      { name: 'list', key: { environmentId: 1, _id: -1 } },
      { name: 'requestId', key: { environmentId: 1, requestId: 1, _id: -1 } },
    ]);
    await ensureIndexes(this.bodies, [{ name: 'environmentId', key: { environmentId: 1 } }]);
  }

  /**
   * Inserts requests with their bodies; those inserted by an earlier run of the same call stay as
   * they are.
   */
  async insert(entries: readonly (RequestEntry & RequestBodies)[]): Promise<void> {
    await Promise.all([
      insertMissing(this.requests, entries.map(toDocument)),
      insertMissing(this.bodies, entries.flatMap(toBodiesDocument)),
    ]);
  }

  /** Finds one request of an environment with its bodies. */
  async find(
    id: string,
    { tenant: { environmentId } }: Pick<CallContext, 'tenant'>,
  ): Promise<(RequestEntry & RequestBodies) | undefined> {
    const [document, bodies] = await retryTransient(() =>
      Promise.all([
        this.requests.findOne({ _id: id, environmentId }),
        this.bodies.findOne({ _id: id, environmentId }),
      ]),
    );
    if (document === null) return undefined;
    const { query, request: requestBody, response: responseBody } = bodies ?? {};
    return {
      ...fromDocument(document),
      query,
      requestBody: requestBody ?? undefined,
      responseBody: responseBody ?? undefined,
    };
  }

  /** Throws DeadlineExceededError when the search takes longer than its caller waits. */
  async list(
    { tenant, deadline }: Pick<CallContext, 'tenant' | 'deadline'>,
    {
      filter,
      page,
      perPage,
      oldestFirst = false,
    }: { filter: RequestFilter; page: number; perPage: number; oldestFirst?: boolean },
  ): Promise<RequestPage> {
    const { environmentId } = tenant;
    const maxTimeMS = Math.max(1, answerBy({ deadline }).getTime() - this.clock.now().getTime());
    const within = { maxTimeMS };
    const skip = (page - 1) * perPage;
    return inTime(async () => {
      const oldest = isScan(filter) ? await this.lastSearched(environmentId, within) : undefined;
      const query = queryOf(environmentId, { filter, oldestId: oldest?._id });
      const documents = await this.requests
        .find(query, within)
        .sort({ _id: oldestFirst ? 1 : -1 })
        .skip(skip)
        .limit(perPage)
        .toArray();
      const seen = skip + documents.length;
      // The last page determines the number; concurrent inserts cannot make the two disagree.
      const isLast = documents.length < perPage && (documents.length > 0 || page === 1);
      const counted = isLast
        ? seen
        : await this.requests.countDocuments(query, { limit: countMax + 1, ...within });
      return {
        data: documents.map(fromDocument),
        total: Math.min(counted, countMax),
        totalIsMore: counted > countMax,
        searchedSince: oldest?.at,
      };
    });
  }

  /** Finds the oldest entry that a search covers, if there are older ones. */
  private async lastSearched(
    environmentId: string,
    within: { readonly maxTimeMS: number },
  ): Promise<RequestDocument | undefined> {
    const [oldest, older] = await this.requests
      .find({ environmentId, _id: { $lt: lastId } }, within)
      .sort({ _id: -1 })
      .skip(this.searchedMax - 1)
      .limit(2)
      .toArray();
    return older === undefined ? undefined : oldest;
  }

  /** Deletes the queries and bodies of an environment's requests that contain one of some texts. */
  async eraseBodies(
    { environmentId }: Pick<Tenant, 'environmentId'>,
    texts: readonly string[],
  ): Promise<void> {
    const quoted = texts.map((text) => escaped(JSON.stringify(text)));
    const $regex = quoted.join('|');
    const parameters = texts.map((text) => escaped(new URLSearchParams([['', text]]).toString()));
    const query = { $regex: parameters.join('|'), $options: 'i' };
    const $or = [{ 'request.json': { $regex } }, { 'response.json': { $regex } }, { query }];
    await retryTransient(() => this.bodies.deleteMany({ environmentId, $or }));
  }

  /** Deletes one batch of requests stored before a time. Returns true if there may be more. */
  deleteOlder(before: Date): Promise<boolean> {
    const filter = { _id: { $lt: earliestIdAt(before) } };
    return deleteBatch({ collection: this.requests, filter, sort: { _id: 1 } });
  }

  /** Deletes one batch of bodies stored before a time. Returns true if there may be more. */
  deleteOlderBodies(before: Date): Promise<boolean> {
    const filter = { _id: { $lt: earliestIdAt(before) } };
    return deleteBatch({ collection: this.bodies, filter, sort: { _id: 1 } });
  }
}

/** True when a list has to read entries that it does not return. */
function isScan({ method, statusClass, pathPrefix, requestId }: RequestFilter): boolean {
  if (requestId !== undefined) return false;
  return method !== undefined || statusClass !== undefined || pathPrefix !== undefined;
}

function queryOf(
  environmentId: string,
  { filter, oldestId }: { filter: RequestFilter; oldestId: string | undefined },
): Filter<RequestDocument> {
  const { method, statusClass, pathPrefix, requestId } = filter;
  return {
    environmentId,
    // Without a range some servers sort all matches instead of walking the index.
    _id: { $lt: lastId, ...(oldestId !== undefined && { $gte: oldestId }) },
    ...(method !== undefined && { method }),
    ...(statusClass !== undefined && {
      status: { $gte: statusClass * 100, $lt: (statusClass + 1) * 100 },
    }),
    ...(pathPrefix !== undefined && {
      path: { $gte: pathPrefix, $lt: `${pathPrefix}${lastCharacter}` },
    }),
    ...(requestId !== undefined && { requestId }),
  };
}

// MaxTimeMSExpired, of the server.
const outOfTimeCode = 50;

async function inTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await retryTransient(read);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== outOfTimeCode) throw error;
    throw new DeadlineExceededError(error);
  }
}

function toDocument({
  id: _id,
  query: _query,
  requestBody: _request,
  responseBody: _response,
  ...entry
}: RequestEntry & RequestBodies): RequestDocument {
  const { errorCode = null, traceId = null, key = null, operatorEmail = null } = entry;
  return { _id, ...entry, errorCode, traceId, key, operatorEmail };
}

function toBodiesDocument({
  id: _id,
  environmentId,
  query,
  requestBody,
  responseBody,
}: RequestEntry & RequestBodies): BodiesDocument[] {
  const [request, response] = [storable(requestBody), storable(responseBody)];
  const asked = query !== undefined && isStorableQuery(query) ? { query } : {};
  if (request === null && response === null && asked.query === undefined) return [];
  return [{ _id, environmentId, ...asked, request, response }];
}

function storable(body: LoggedBody | undefined): LoggedBody | null {
  return body !== undefined && isStorableBody(body) ? body : null;
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

import type { Collection, Db, Filter } from 'mongodb';
import {
  type EventLogEntry,
  EventLogServiceService,
  type EventLogServiceServer,
} from '@billing/proto/billing/event/v1/event_log';
import type { Callers } from './callers';
import type { Clock } from './clock';
import { earliestIdAt, newId } from './ids';
import { ensureIndexes } from './indexes';
import { messageBytesMax } from './message-size';
import type { InsertBatches } from './insert-batches';
import { duplicateKeyIndex } from './mongo';
import { type RpcService, type RpcDependencies, rpcService } from './rpc';
import type { Tenant } from './call-context';

/** One announced event, as stored for ever. */
export interface EventLogDocument {
  /** `<aggregate id>:<sequence>`, also the stream's message id. */
  readonly _id: string;
  /** Absent in entries of earlier releases. */
  readonly environmentId?: string;
  /** A v7 UUID of the insertion: sorts by real time. */
  readonly position: string;
  readonly insertedAt: Date;
  /** CloudEvents 1.0 JSON, as published. */
  readonly envelope: string;
  readonly traceparent: string | null;
}

export type EventLog = Collection<EventLogDocument>;

/** What an event's envelope is made of. */
export interface Announcement {
  readonly service: string;
  readonly aggregate: string;
  readonly aggregateId: string;
  readonly sequence: number;
  /** `subscription.renewed`. */
  readonly type: string;
  readonly at: Date;
  readonly tenant: Tenant;
  /** JSON text of the proto message. */
  readonly data: string;
}

const limitMax = 1000;
// Behind every UUID. A range without an end may have the server read the whole log and sort it.
const endOfPositions = 'g';
// Half of what a gRPC message may have: what stands around the envelopes fits as well.
const pageBytesMax = messageBytesMax / 2;

export function openEventLog(db: Db): EventLog {
  return db.collection<EventLogDocument>('eventLog');
}

/** The id under which an event is logged and published. */
export function eventId({
  aggregateId,
  sequence,
}: Pick<Announcement, 'aggregateId' | 'sequence'>): string {
  return `${aggregateId}:${String(sequence)}`;
}

/** The CloudEvents envelope: the same announcement always gives the same bytes. Extension names are lower case, as the standard asks. */
export function toEnvelope(announcement: Announcement): string {
  const { service, aggregateId, sequence, type, at, tenant } = announcement;
  const attributes = {
    specversion: '1.0',
    id: eventId(announcement),
    source: `/billing/${service}`,
    type: `billing.${type}`,
    subject: aggregateId,
    time: at.toISOString(),
    datacontenttype: 'application/json',
    sequence,
    organizationid: tenant.organizationId,
    environmentid: tenant.environmentId,
    environmentlive: tenant.live,
    manualclock: tenant.manualClock,
  };
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${announcement.data}}`;
}

/** Logs an event once; a repeat finds it there. Events of many aggregates go together. */
export async function logEvent(
  log: InsertBatches<EventLogDocument>,
  entry: Pick<EventLogDocument, '_id' | 'environmentId' | 'envelope' | 'traceparent'>,
  clock: Clock,
): Promise<void> {
  const document = { ...entry, position: newId(), insertedAt: clock.now() };
  try {
    await log.insert(document);
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
  }
}

export async function ensureEventLogIndexes(log: EventLog): Promise<void> {
  await ensureIndexes(log, [
    { name: 'position', key: { position: 1 } },
    { name: 'environment', key: { environmentId: 1 } },
  ]);
}

/** The notifier alone reads events. */
export const eventLogCallers: Callers<EventLogServiceServer> = {
  readEventLog: ['notifier'],
  getEventLogEntries: ['notifier'],
};

/** The RPCs by which the notifier makes certain that it has seen every event. */
export function eventLogRpc(log: EventLog): (dependencies: RpcDependencies) => RpcService {
  return rpcService<EventLogServiceServer>(
    EventLogServiceService,
    {
      readEventLog: ({ afterPosition, insertedAfter, limit }) => {
        const start =
          afterPosition === ''
            ? { $gte: earliestIdAt(insertedAfter ?? new Date(0)) }
            : { $gt: afterPosition };
        const position = { ...start, $lt: endOfPositions };
        return readPage(log, { position }, Math.min(Math.max(limit, 1), limitMax));
      },
      getEventLogEntries: ({ ids }) =>
        readPage(log, { _id: { $in: ids.slice(0, limitMax) } }, limitMax),
    },
    { withoutTenant: ['readEventLog', 'getEventLogEntries'], callers: eventLogCallers },
  );
}

/** One entry at least, whatever its size: else the reader would never come past it. */
async function readPage(
  log: EventLog,
  filter: Filter<EventLogDocument>,
  limit: number,
): Promise<{ entries: EventLogEntry[]; hasMore: boolean }> {
  const documents = log
    .find(filter)
    .sort({ position: 1 })
    .limit(limit + 1);
  const entries: EventLogEntry[] = [];
  let bytes = 0;
  for await (const document of documents) {
    bytes += Buffer.byteLength(document.envelope);
    if (entries.length === limit || (entries.length > 0 && bytes > pageBytesMax)) {
      return { entries, hasMore: true };
    }
    entries.push(toProtoEntry(document));
  }
  return { entries, hasMore: false };
}

function toProtoEntry(document: EventLogDocument): EventLogEntry {
  return {
    id: document._id,
    position: document.position,
    insertedAt: document.insertedAt,
    envelopeJson: document.envelope,
    traceparent: document.traceparent ?? '',
  };
}

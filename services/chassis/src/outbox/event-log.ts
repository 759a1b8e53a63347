import { eventLogCallers } from '../grpc/callers';
import type { Collection, Db, Filter } from 'mongodb';
import {
  type EventLogEntry,
  EventLogServiceService,
  type EventLogServiceServer,
  type GetEventLogEntriesRequest,
  type GetEventLogEntriesResponse,
  type ReadEventLogRequest,
  type ReadEventLogResponse,
} from '@billing/proto/billing/event/v1/event_log';
import type { Clock } from '../clock';
import { earliestIdAt, isId, newId } from '../ids';
import { invalidInput } from '@billing/kernel/domain-error';
import { EventMarkStore } from './event-mark-store';
import { deletableBefore } from './event-retention';
import { deleteBatch } from '../mongo/old-documents';
import { ensureIndexes, duplicateKeyIndex } from '../mongo/mongo';
import { messageBytesMax, type RpcService, type RpcDependencies, rpcService } from '../grpc/rpc';
import { restoreCodeOf } from '../recovery/restore-codes';
import type { InsertBatches } from '../mongo/inserts';
import type { Tenant } from '../grpc/call-context';

/** A logged event. Deleted with its environment, or once it is old and every reader passed it. */
export interface EventLogDocument {
  /** `<aggregate id>:<sequence>`. */
  readonly _id: string;
  /** Absent in entries of earlier releases. */
  readonly environmentId?: string;
  /** UUID v7 of the insertion: sorts by real time. */
  readonly position: string;
  readonly insertedAt: Date;
  /** CloudEvents 1.0 JSON, as published. */
  readonly envelope: string;
  readonly traceparent: string | null;
}

export type EventLog = Collection<EventLogDocument>;

/** Source data of an event's envelope. */
export interface Announcement {
  readonly service: string;
  readonly aggregate: string;
  readonly aggregateId: string;
  readonly sequence: number;
  /** Restore codes of the subject up to this event; see restore-codes.ts. */
  readonly restoreCodes?: string | undefined;
  /** `subscription.renewed`. */
  readonly type: string;
  readonly at: Date;
  readonly tenant: Tenant;
  /** JSON text of the proto message. */
  readonly data: string;
}

const limitMax = 1000;
// Sorts after every UUID. A range without an end may make the server read the whole log and sort
// it.
const endOfPositions = 'g';
// Half of a gRPC message's maximum size, so that the fields around the envelopes fit, too.
const pageBytesMax = messageBytesMax / 2;

export function openEventLog(db: Db): EventLog {
  return db.collection<EventLogDocument>('eventLog');
}

/** Returns the id under which an event is logged: one log has one event of a number. */
export function eventLogId({
  aggregateId,
  sequence,
}: Pick<Announcement, 'aggregateId' | 'sequence'>): string {
  return `${aggregateId}:${String(sequence)}`;
}

/**
 * Returns the id under which an event is published. An event of a number that was lost by a restore
 * had another one.
 */
export function eventId({
  restoreCodes,
  ...key
}: Pick<Announcement, 'aggregateId' | 'sequence' | 'restoreCodes'>): string {
  const code = restoreCodeOf(restoreCodes, key.sequence);
  return code === null ? eventLogId(key) : `${eventLogId(key)}:${code}`;
}

/**
 * Builds the CloudEvents envelope. The same announcement always gives the same bytes. Extension
 * names are lower case, as the standard requires.
 */
export function toEnvelope(announcement: Announcement): string {
  const { service, aggregateId, sequence, restoreCodes, type, at, tenant } = announcement;
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
    ...(restoreCodes !== undefined && { restorecodes: restoreCodes }),
  };
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${announcement.data}}`;
}

/** Logs an event once; a retry finds it logged. Events of many aggregates are inserted together. */
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

/**
 * Deletes one batch of entries inserted before a time that every reader has passed. Returns true if
 * there may be more.
 */
export async function deleteOldEvents(
  log: EventLog,
  marks: EventMarkStore,
  time: Date,
): Promise<boolean> {
  const end = deletableBefore(time, await marks.passed());
  if (end === undefined) return false;
  // First, so that no reader takes a log with deleted entries for a whole one.
  await marks.recordDeleted(end);
  const filter = { position: { $gte: earliestIdAt(new Date(0)), $lt: end } };
  return deleteBatch({ collection: log, filter, sort: { position: 1 } });
}

/** Reads of an event log: by RPC, or by the service that owns it. */
export interface EventLogReads {
  readonly readEventLog: (request: ReadEventLogRequest) => Promise<ReadEventLogResponse>;
  readonly getEventLogEntries: (
    request: GetEventLogEntriesRequest,
  ) => Promise<GetEventLogEntriesResponse>;
}

/** Reads with which the notifier verifies that it has seen every event. */
function eventLogReads(log: EventLog, marks: EventMarkStore): EventLogReads {
  return {
    readEventLog: async (request) => {
      const { afterPosition, insertedAfter, limit, reader, passedPosition } = request;
      if (passedPosition !== '' && !isId(passedPosition)) {
        throw invalidInput({ passedPosition: ['Must be a position'] });
      }
      // A full disk is no reason to refuse a read. The reader reports again.
      if (reader !== '') await marks.recordPassed(reader, passedPosition).catch(() => undefined);
      const isFirst = afterPosition === '';
      const start = isFirst
        ? { $gte: earliestIdAt(insertedAfter ?? new Date(0)) }
        : { $gt: afterPosition };
      const position = { ...start, $lt: endOfPositions };
      const { environmentId } = request;
      const filter = { position, ...(environmentId !== undefined && { environmentId }) };
      const page = await readPage(log, filter, Math.min(Math.max(limit, 1), limitMax));
      return { ...page, deletedBefore: isFirst ? await marks.deletedBefore() : '' };
    },
    getEventLogEntries: ({ ids }) =>
      readPage(log, { _id: { $in: ids.slice(0, limitMax) } }, limitMax),
  };
}

/** Reads of the event log of the own service. */
export function ownEventLogReads({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): EventLogReads {
  return eventLogReads(openEventLog(db), new EventMarkStore(db, clock));
}

/** Serves the reads of the event log. */
export function eventLogRpc(
  log: EventLog,
  marks: EventMarkStore,
): (dependencies: RpcDependencies) => RpcService {
  return rpcService<EventLogServiceServer>(
    EventLogServiceService,
    { ...eventLogReads(log, marks) },
    { withoutTenant: ['readEventLog', 'getEventLogEntries'], callers: eventLogCallers },
  );
}

/** Returns at least one entry of any size; otherwise the reader could never advance past it. */
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

import { BSON } from 'mongodb';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { type AggregateDocument, type OutboxEntry, tenantOf } from '../aggregates/aggregate';
import { eventId, eventLogId, toEnvelope } from './event-log';
import { bsonOptions } from '../mongo/mongo-spans';

/**
 * Returns a document as the database will return it: with the same types of numbers, and without
 * undefined fields.
 */
export function asStored(written: AggregateDocument): AggregateDocument {
  const { outbox } = BSON.deserialize(
    BSON.serialize({ outbox: written.outbox }, bsonOptions),
    bsonOptions,
  ) as Pick<AggregateDocument, 'outbox'>;
  return { ...written, outbox };
}

/** Converts an outbox entry to the event that is logged and published. */
export function announcementOf(
  service: string,
  { definition }: AggregateCollection<never>,
  { document, entry }: { document: AggregateDocument; entry: OutboxEntry },
) {
  const { type, at, payload, announcedAs, restoreCodes } = entry;
  const { id: aggregateId, sequence } = announcedAs ?? { ...entry, id: document._id };
  const key = { aggregateId, sequence, restoreCodes };
  const envelope = toEnvelope({
    ...key,
    service,
    aggregate: definition.aggregate,
    type,
    at,
    tenant: tenantOf(document),
    data: payload as string,
  });
  return {
    logId: eventLogId(key),
    id: eventId(key),
    subject: `${service}.${type}`,
    envelope,
    traceparent: entry.traceparent ?? undefined,
  };
}

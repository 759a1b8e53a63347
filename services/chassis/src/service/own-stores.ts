import { openActivity } from '../aggregates/activity';
import {
  deleteOldRecords,
  ensureIdempotencyIndexes,
  openIdempotencyRecords,
} from '../grpc/idempotency';
import { deleteOldEvents, ensureEventLogIndexes, openEventLog } from '../outbox/event-log';
import { EventMarkStore } from '../outbox/event-mark-store';
import type { Db } from 'mongodb';
import type { Clock } from '../clock';
import type { ServiceConfiguration } from './configuration';
import type { Retention } from './retention';

interface StoreOwner {
  readonly db: Db;
  readonly clock: Clock;
  readonly configuration: Pick<ServiceConfiguration, 'RETENTION_EVENTS'>;
  retain(retention: Retention): void;
}

/** Opens the stores that every service has, creates their indexes and begins their retention. */
export async function openOwnStores(service: StoreOwner) {
  const { db, clock, configuration } = service;
  const eventLog = openEventLog(db);
  const eventMarks = new EventMarkStore(db, clock);
  const activity = openActivity(db);
  const idempotencyRecords = openIdempotencyRecords(db);
  await ensureEventLogIndexes(eventLog);
  await ensureIdempotencyIndexes(idempotencyRecords);
  service.retain({
    name: 'delete old idempotency keys',
    days: 1,
    deleteBatch: (before) => deleteOldRecords(idempotencyRecords, before),
  });
  service.retain({
    name: 'delete old events',
    days: configuration.RETENTION_EVENTS,
    deleteBatch: (before) => deleteOldEvents(eventLog, eventMarks, before),
  });
  return { eventLog, eventMarks, activity, idempotencyRecords };
}

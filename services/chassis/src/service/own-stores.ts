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
import { ensureEnvironmentIndexes } from './environment-deletion';
import type { WantedIndexes } from '../mongo/missing-indexes';
import { buildingIndexes, namingIndexes } from '../mongo/mongo';
import { SystemStore } from '../replicas/system-store';
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

/** Indexes of a release, which are recorded in its database. */
export function wantedIndexes(db: Db, release: string): WantedIndexes {
  const system = new SystemStore(db);
  const record = (names: readonly string[]) => system.recordIndexes({ release, names });
  return { missing: 0, names: new Set(), record };
}

/** Builds all indexes on collections of any size, and records their names. */
export async function ensureAll(
  ensures: readonly (() => Promise<unknown>)[],
  { db, indexes: { names, record } }: { readonly db: Db; readonly indexes: WantedIndexes },
  report: (line: string) => void,
): Promise<void> {
  const ensureEach = async () => {
    for (const ensure of ensures) await ensure();
    await ensureEnvironmentIndexes(db);
  };
  await buildingIndexes(report, () => namingIndexes(names, ensureEach));
  await record([...names]);
}

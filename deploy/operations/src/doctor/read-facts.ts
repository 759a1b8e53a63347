import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { realTimeline } from '@billing/chassis/call-context';
import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { listIndexes } from '@billing/chassis/mongo';
import { isEndedHere } from '@billing/chassis/replica';
import { type Heartbeat, ReplicaStore } from '@billing/chassis/replica-store';
import {
  type FingerprintDocument,
  fingerprintCollection,
} from '@billing/chassis/secret-fingerprints';
import { seen, stateOf } from '@billing/chassis/system-state';
import { indexesByCollection } from '@billing/chassis/system-store';
import type { Db } from 'mongodb';
import { readLastBackup } from '../database/last-backup';
import { savedCollections, type ServiceDatabase } from '../database/databases';
import { isBeating } from '../database/seen-replicas';
import { readOldSecret } from './old-secrets';
import { readSealedSecrets } from './sealed-secrets';
import type { ServiceFacts, SystemFacts } from './checks';

/** Longer than the interval of heartbeats. */
const beatWithinMs = 3_500;

/** Reads facts about a running system, whose databases' files are in `databasesDir`, if here. */
export async function readFacts(
  databases: readonly ServiceDatabase[],
  databasesDir: string | undefined,
): Promise<SystemFacts> {
  const first = await Promise.all(databases.map(({ db }) => new ReplicaStore(db).list()));
  await delay(beatWithinMs);
  const services = await Promise.all(
    databases.map((database, index) => readService(database, first[index] ?? [])),
  );
  return {
    now: systemClock.now(),
    services,
    clockSkewMs: await readClockSkew(databases),
    databaseMs: Math.max(...(await Promise.all(databases.map(readAnswerTime)))),
    disk: databasesDir === undefined ? undefined : await readDisk(databasesDir),
    lastBackupAt: await readLastBackup(databases),
  };
}

async function readService(
  { service, db, system }: ServiceDatabase,
  first: readonly Heartbeat[],
): Promise<ServiceFacts> {
  const beats = await new ReplicaStore(db).list();
  const living = beats.filter((one) => isBeating(one, first) && !isEndedHere(one.replica));
  const nowMs = monotonicMs();
  const now = systemClock.now();
  return {
    service,
    state: stateOf(seen(undefined, await system.read(), nowMs), { nowMs, now }),
    releases: living.map(({ release }) => release),
    ...(await readWaiting(db, now)),
    health: living.flatMap(({ health }) => health ?? []),
    missingIndexes: await readMissingIndexes(db, (await system.wantedIndexes())?.names ?? []),
    fingerprints: await db.collection<FingerprintDocument>(fingerprintCollection).find().toArray(),
    foldSince: await readFoldSince(db, now),
    poisonMessages: await db.collection('poisonMessages').countDocuments(),
    sealedSecrets: await readSealedSecrets(db, service),
    oldSecret: await readOldSecret(db, service, now),
  };
}

async function readMissingIndexes(db: Db, wanted: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, names] of indexesByCollection(wanted)) {
    const indexes = await listIndexes(db.collection(name));
    // A generation of usage that was deleted.
    if (indexes.length === 0) continue;
    const present = new Set(indexes.map((index) => `${name}.${index.name}`));
    missing.push(...names.filter((one) => !present.has(one)));
  }
  return missing;
}

/** Sandboxes count, too: they share the folds. Only metering has series. */
async function readFoldSince(db: Db, now: Date): Promise<Date | undefined> {
  const series = db.collection<{ readonly foldAt: Date }>('usageSeries');
  const filter = { foldAt: { $lte: now } };
  const first = await series.findOne(filter, { sort: { foldAt: 1 }, projection: { foldAt: 1 } });
  return first?.foldAt;
}

interface Waiting {
  readonly live: boolean;
  readonly pendingSince: Date;
  readonly dueAt: Date;
}

/** Reads the longest waiting documents of live environments, by the indexes of the services. */
async function readWaiting(
  db: Db,
  now: Date,
): Promise<Pick<ServiceFacts, 'outboxSince' | 'dueSince'>> {
  let outboxSince: Date | undefined;
  let dueSince: Date | undefined;
  for (const name of await savedCollections(db)) {
    const collection = db.collection<Waiting>(name);
    const indexed = new Set((await collection.indexes()).flatMap(({ key }) => Object.keys(key)));
    // Sandboxes may have any number of documents that wait longer.
    const oldest = async (field: 'pendingSince' | 'dueAt', filter: object) => {
      if (!indexed.has(field)) return undefined;
      const projection = { _id: 0, [field]: 1 };
      const found = await collection.findOne(
        { ...filter, live: true },
        { sort: { [field]: 1 }, projection },
      );
      return found?.[field];
    };
    const pending = await oldest('pendingSince', { pendingSince: { $gt: new Date(0) } });
    outboxSince = earlier(outboxSince, pending);
    const due = { $gt: new Date(0), $lte: now };
    dueSince = earlier(dueSince, await oldest('dueAt', { timeline: realTimeline, dueAt: due }));
  }
  return { outboxSince, dueSince };
}

function earlier(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

async function readClockSkew([first]: readonly ServiceDatabase[]): Promise<number> {
  const startedMs = monotonicMs();
  const startedAt = systemClock.now();
  const localTime: unknown = (await first?.db.command({ hello: 1 }))?.['localTime'];
  if (!(localTime instanceof Date)) throw new Error('The database did not return its time');
  // The database read its clock about halfway.
  return startedAt.getTime() + (monotonicMs() - startedMs) / 2 - localTime.getTime();
}

async function readAnswerTime({ db }: ServiceDatabase): Promise<number> {
  const startedMs = monotonicMs();
  await db.command({ ping: 1 });
  return monotonicMs() - startedMs;
}

async function readDisk(folder: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

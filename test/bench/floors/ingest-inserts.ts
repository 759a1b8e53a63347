import { type Document, MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { serveJobs } from './serve-jobs';

// The minimal program that stores usage events: unordered inserts of the driver, a fixed number
// concurrently, of documents as the system stores them.

const { MONGODB_URI = '' } = process.env;

interface FloorJob {
  readonly database: string;
  readonly seconds: number;
  readonly inFlight: number;
  readonly size: number;
  readonly customerIds: readonly string[];
  readonly meterIds: readonly string[];
}

const client = new MongoClient(MONGODB_URI, {
  useBigInt64: true,
  ignoreUndefined: true,
  retryReads: false,
  retryWrites: false,
  maxPoolSize: 24,
  writeConcern: { w: 'majority', journal: true },
});

async function insertAll({ database, seconds, inFlight, ...shape }: FloorJob) {
  const events = client.db(database).collection('usageEvents');
  const template = await events.findOne({});
  if (template === null) throw new Error('There is no event to copy');
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  let operations = 0;
  const lane = async () => {
    while (performance.now() < endMs) {
      await events.insertMany(copiesOf(template, shape), { ordered: false });
      operations += shape.size;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { operations, seconds: (performance.now() - startedMs) / 1_000 };
}

function copiesOf(
  template: Document,
  { size, customerIds, meterIds }: Pick<FloorJob, 'size' | 'customerIds' | 'meterIds'>,
): Document[] {
  const run = randomUUID().slice(0, 21);
  const timestamp = new Date(performance.timeOrigin + performance.now());
  return Array.from({ length: size }, (_, place) => ({
    _id: `${String(template.environmentId)}:${run}-${String(place).padStart(3, '0')}`,
    environmentId: template.environmentId as string,
    customerId: customerIds[place % customerIds.length],
    meterId: meterIds[place % meterIds.length],
    quantity: template.quantity as string,
    timestamp,
    receivedAt: timestamp,
    arrival: template.arrival as number,
  }));
}

serveJobs(insertAll, client.connect());

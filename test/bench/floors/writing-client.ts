import { MongoClient } from 'mongodb';

/** The client of a floor that writes: durable writes, and no retries that could hide a failure. */
export function writingClient(): MongoClient {
  return new MongoClient(process.env.MONGODB_URI ?? '', {
    useBigInt64: true,
    retryReads: false,
    retryWrites: false,
    maxPoolSize: 24,
    writeConcern: { w: 'majority', journal: true },
  });
}

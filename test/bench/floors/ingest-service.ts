import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import {
  type IngestEventsRequest,
  type IngestEventsResponse,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import { MongoClient } from 'mongodb';

// The minimal program that accepts usage events over gRPC: it stores them in one insert, without
// validation or any other guarantee of the system.

const { MONGODB_URI = '', MONGODB_DATABASE = '', GRPC_LISTEN = '', ENVIRONMENT = '' } = process.env;
const messageBytesMax = 4 * 1024 * 1024;

interface SentEvent {
  readonly customerId: string;
  readonly meterId: string;
  readonly quantity: string;
  readonly timestamp: string;
  readonly eventId: string;
}

interface EventDocument {
  readonly _id: string;
}

async function serve(): Promise<void> {
  const client = new MongoClient(MONGODB_URI, {
    useBigInt64: true,
    ignoreUndefined: true,
    retryReads: false,
    retryWrites: false,
    maxPoolSize: 24,
    writeConcern: { w: 'majority', journal: true },
  });
  await client.connect();
  const stored = client.db(MONGODB_DATABASE).collection<EventDocument>('usageEvents');
  const ingestEvents: handleUnaryCall<IngestEventsRequest, IngestEventsResponse> = (
    call,
    callback,
  ) => {
    const { events } = JSON.parse(call.request.body.toString()) as { events: SentEvent[] };
    stored.insertMany(documentsOf(events), { ordered: false }).then(
      ({ insertedCount }) => {
        callback(null, {
          accepted: insertedCount,
          duplicates: 0,
          rejected: [],
          ignoredFields: [],
        });
      },
      (error: unknown) => {
        callback(error as Error);
      },
    );
  };
  const server = new Server({ 'grpc.max_receive_message_length': messageBytesMax });
  const unused = undefined as never;
  const calls = Object.keys(MeteringServiceService).map((name) => [name, unused]);
  server.addService(MeteringServiceService, { ...Object.fromEntries(calls), ingestEvents });
  server.bindAsync(GRPC_LISTEN, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
    process.send?.('ready');
  });
}

function documentsOf(events: readonly SentEvent[]): EventDocument[] {
  const receivedAt = new Date(performance.timeOrigin + performance.now());
  const arrival = receivedAt.getTime() * 1_000;
  return events.map(({ customerId, meterId, quantity, timestamp, eventId }, place) => ({
    _id: `${ENVIRONMENT}:${eventId}`,
    environmentId: ENVIRONMENT,
    customerId,
    meterId,
    quantity,
    timestamp: new Date(timestamp),
    receivedAt,
    arrival: arrival + place,
  }));
}

process.on('disconnect', () => process.exit());
void serve();

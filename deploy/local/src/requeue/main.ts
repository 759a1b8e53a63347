import { systemClock } from '@billing/chassis/clock';
import { connectStream } from '@billing/chassis/jet-stream';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo } from '@billing/chassis/mongo';
import { PoisonMessages } from '@billing/chassis/poison-messages';
import { Closers, runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { readConfig } from '@billing/notifier/config';
import { onSystemData, readFlags, reportProgress } from '../maintenance';
import { serviceEnvironment, type SystemSite } from '../system/service-environment';

const usage = 'Usage: npm run requeue-poison -- [--id <id>] [--data <folder>]';
// The only service that consumes events.
const consumer = 'notifier';

/** Gives poison messages back to the stream, whose consumer reads them again. */
async function requeue(site: SystemSite, id: string | undefined): Promise<string> {
  const config = readConfig(serviceEnvironment(consumer, site));
  const closers = new Closers();
  try {
    const mongo = await connectMongo({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      authority: config.MONGODB_TLS_CA,
      service: consumer,
    });
    closers.add('database', () => mongo.close());
    const stream = await connectStream({
      url: config.NATS_URL,
      authority: config.NATS_TLS_CA,
      credentials: config.NATS_CREDENTIALS,
      streamName: config.STREAM_NAME,
      replicas: config.STREAM_REPLICAS,
      maxBytes: config.STREAM_MAX_BYTES,
      service: consumer,
      logger: createLogger({ service: 'requeue-poison', level: 'silent' }),
    });
    closers.add('stream', () => stream.close());
    const given = await new PoisonMessages(mongo.db, systemClock).requeue(stream, id);
    for (const one of given) reportProgress(one);
    if (id !== undefined && given.length === 0) {
      throw new StartRefusal(exitStatuses.usage, `No poison message has the id ${id}`);
    }
    return `${String(given.length)} messages given back`;
  } finally {
    await closers.closeAll();
  }
}

runCommand('requeue-poison', async () => {
  const { id, data } = readFlags(['id', 'data'], usage);
  return onSystemData(data, (site) => requeue(site, id));
});

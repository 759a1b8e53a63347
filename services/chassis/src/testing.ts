import { Metadata, status } from '@grpc/grpc-js';
import { connect, NatsError } from 'nats';
import { z } from 'zod';
import { type CallContext, everyScope, type Tenant } from './call-context';
import { monotonicMs, sleep, systemClock } from './clock';
import {
  processEnvironment,
  readConfiguration,
  type ServiceConfiguration,
  serviceConfigurationShape,
} from './configuration';
import { fromServiceError } from './grpc-status';
import { newId, randomSecret } from './ids';
import { connectMongo } from './mongo';
import { natsAddress } from './nats-address';

// What integration tests share. Jest loads this module once for each test file, so each file has its own run and thereby its own
// databases and stream; services of one file share the stream, as they do in production.
const run = randomSecret(6).toString('hex');

// Longer than any call under test, shorter than jest's limit for a test: a call that hangs fails with a reason.
const callDeadlineMs = 25_000;

/**
 * A configuration for one service under test: a database of its own, a free port on loopback, no log. MONGODB_URI and NATS_URL come
 * from the environment; jest's global setup has started what they point to.
 */
export function testServiceConfiguration<Extra extends object = object>(
  service: string,
  extra?: Extra,
): ServiceConfiguration & Extra {
  const configuration = readConfiguration(z.object(serviceConfigurationShape), {
    ...processEnvironment(),
    MONGODB_DATABASE: `t_${run}_${service}`,
    STREAM_NAME: `T_${run}`,
    GRPC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
  });
  return { ...configuration, ...extra } as ServiceConfiguration & Extra;
}

/** A tenant that no other test has: a sandbox on real time unless told otherwise. */
export function testTenant(tenant: Partial<Tenant> = {}): Tenant {
  return {
    organizationId: newId(),
    environmentId: newId(),
    live: false,
    manualClock: false,
    ...tenant,
  };
}

/**
 * The context of one call, by default of a tenant that no other test has. A `now` travels to services only where the clock is manual,
 * so giving one makes it manual.
 */
export function testContext({
  tenant,
  now,
  deadlineMs = callDeadlineMs,
}: {
  tenant?: Partial<Tenant>;
  now?: Date;
  deadlineMs?: number;
} = {}): CallContext {
  return {
    tenant: testTenant({ manualClock: now !== undefined, ...tenant }),
    now: now ?? systemClock.now(),
    scopes: [everyScope],
    requestId: newId(),
    deadline: new Date(systemClock.now().getTime() + deadlineMs),
    signal: new AbortController().signal,
  };
}

/** Removes the databases of services that have stopped. */
export async function dropTestDatabase(
  ...configurations: readonly Pick<ServiceConfiguration, 'MONGODB_URI' | 'MONGODB_DATABASE'>[]
): Promise<void> {
  for (const { MONGODB_URI: uri, MONGODB_DATABASE: database } of configurations) {
    const mongo = await connectMongo({ uri, database, service: 'testing' });
    try {
      await mongo.db.dropDatabase();
    } finally {
      await mongo.close();
    }
  }
}

/** Removes the test file's stream, after the last service that uses it has stopped. */
export async function dropTestStream({
  NATS_URL: url,
  STREAM_NAME: streamName,
}: Pick<ServiceConfiguration, 'NATS_URL' | 'STREAM_NAME'>): Promise<void> {
  const connection = await connect(natsAddress(url));
  try {
    const { streams } = await connection.jetstreamManager();
    await streams.delete(streamName);
  } catch (error) {
    // No service of the file has made it.
    if (!(error instanceof NatsError && error.api_error?.code === 404)) throw error;
  } finally {
    await connection.close();
  }
}

/**
 * Repeats an assertion until it holds, and gives what it gave; after `timeoutMs` it fails as the assertion last failed. The pauses double
 * from `everyMs` to `everyMsMax`: what takes long is not to be slowed down by its being asked.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  {
    timeoutMs = 25_000,
    everyMs = 25,
    everyMsMax = everyMs,
  }: { timeoutMs?: number; everyMs?: number; everyMsMax?: number } = {},
): Promise<T> {
  const start = monotonicMs();
  let pauseMs = everyMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (monotonicMs() - start >= timeoutMs) throw error;
    }
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, everyMsMax);
  }
}

/** What a call fails with whose request or answer is larger than a message may be. */
export function tooLarge(): Error {
  const facts = { code: status.RESOURCE_EXHAUSTED, details: '', metadata: new Metadata() };
  return fromServiceError(Object.assign(new Error('Received message larger than max'), facts));
}

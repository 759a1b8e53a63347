import { DomainError } from '@billing/kernel/domain-error';
import {
  type CreateWebhookEndpointRequest,
  type CreateWebhookEndpointResponse,
  type NotifierServiceServer,
  NotifierServiceService,
} from '@billing/proto/billing/notifier/v1/notifier';
import { type CallContext, newResourceId } from './call-context';
import { sleep, systemClock } from '../clock';
import { listen } from './grpc-server';
import {
  ensureIdempotencyIndexes,
  deleteOldRecords,
  type IdempotencyRecords,
  openIdempotencyRecords,
} from './idempotency';
import { createLogger } from '../telemetry/logging';
import { connectMongo } from '../mongo/mongo';
import { deleteBatchMax, deleteInBatches } from '../mongo/old-documents';
import { newId } from '../ids';
import { connectPeer, type Peer } from './peer';
import { type AsyncHandlers, rpcService } from './rpc';
import {
  dropTestDatabase,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

type Handler = AsyncHandlers<NotifierServiceServer>['createWebhookEndpoint'];

const configuration = testServiceConfiguration('idempotency');
const request: CreateWebhookEndpointRequest = {
  url: 'https://example.com',
  events: [],
  description: undefined,
  active: undefined,
};

describe('a call with an idempotency key', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;
  let records: IdempotencyRecords;
  let peer: Peer<NotifierServiceServer>;
  let handle: Handler;
  let closeServer: () => Promise<void>;
  /** False: updates of the records fail. */
  let hasSpace = true;
  const created: string[] = [];

  const makeEndpoint: Handler = (_request, context) => {
    const id = newResourceId(context, 'webhookEndpoint');
    created.push(id);
    return Promise.resolve(endpointOf(id, context));
  };

  /** The records, whose updates fail on demand. */
  function refusable(): IdempotencyRecords {
    return new Proxy(records, {
      get: (target, name) => {
        if (name === 'updateOne' && !hasSpace) return () => Promise.reject(new Error('No space'));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database, service: 'test' });
    records = openIdempotencyRecords(mongo.db);
    await ensureIdempotencyIndexes(records);
    const refuse = () => Promise.reject(new Error('Not called'));
    const bind = rpcService<NotifierServiceServer>(
      NotifierServiceService,
      {
        createWebhookEndpoint: (received, context) => handle(received, context),
        getWebhookEndpoint: refuse,
        getWebhookAddressRules: refuse,
        listWebhookEndpoints: refuse,
        updateWebhookEndpoint: refuse,
        rotateWebhookSecret: refuse,
        deleteWebhookEndpoint: refuse,
      },
      { secrets: ['secret'] },
    );
    const logger = createLogger({ service: 'test', level: 'silent' });
    const server = await listen('127.0.0.1:0', [
      bind({ service: 'test', clock: systemClock, logger, idempotencyRecords: refusable() }),
    ]);
    peer = connectPeer<NotifierServiceServer>(NotifierServiceService, {
      address: server.address,
      service: 'test',
    });
    closeServer = () => server.stop({ drainDelayMs: 0, graceMs: 1_000 });
  });

  beforeEach(() => {
    handle = makeEndpoint;
    hasSpace = true;
    created.length = 0;
  });

  afterAll(async () => {
    peer.close();
    await closeServer();
    await mongo.close();
    await dropTestDatabase(configuration);
  });

  /** Makes a call under a key and returns the result with a flag for an idempotent replay. */
  async function callWith(
    key: string,
    {
      context = testContext(),
      requestHash = 'same',
    }: { context?: CallContext; requestHash?: string } = {},
  ): Promise<{ response: CreateWebhookEndpointResponse; replayed: boolean }> {
    let replayed = false;
    const onReplayed = () => {
      replayed = true;
    };
    const keyed = { ...context, idempotency: { key, requestHash, onReplayed } };
    const response = await peer.createWebhookEndpoint(request, keyed);
    return { response, replayed };
  }

  test('runs once for fifty concurrent callers, and each of them gets its answer', async () => {
    handle = async (received, context) => {
      await sleep(500);
      return makeEndpoint(received, context);
    };
    const context = testContext();
    const calls = Array.from({ length: 50 }, () => callWith('fifty', { context }));
    const outcomes = await Promise.all(calls);
    expect(created).toHaveLength(1);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const { response } of outcomes) expect(response.webhookEndpoint?.id).toBe(created[0]);
  });

  test('is refused as still in progress after it has waited for the maximum time', async () => {
    let end: (() => void) | undefined;
    handle = (received, context) =>
      new Promise<void>((resolve) => {
        end = resolve;
      }).then(() => makeEndpoint(received, context));
    const context = testContext();
    const first = callWith('long', { context });
    await eventually(() => {
      expect(end).toBeDefined();
    });
    // The wait ends two seconds before the deadline; a busy machine may not answer until then.
    await eventually(async () => {
      const hasLittleTime = new Date(systemClock.now().getTime() + 4_000);
      await expect(
        callWith('long', { context: { ...context, deadline: hasLittleTime } }),
      ).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_IN_USE' });
    });
    end?.();
    expect((await first).response.webhookEndpoint?.id).toBe(created[0]);
  });

  test('that waits while the first one is refused for a mistake then runs itself', async () => {
    handle = async () => {
      handle = makeEndpoint;
      await sleep(300);
      throw new DomainError('invalid_input', 'INVALID_REQUEST', 'Invalid request');
    };
    const context = testContext();
    const first = callWith('freed', { context });
    const second = callWith('freed', { context });
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(created).toHaveLength(1);
  });

  test('reveals a secret in its first answer only', async () => {
    const context = testContext();
    expect((await callWith('secret', { context })).response.secret).toBe('whsec_shown-once');
    expect((await callWith('secret', { context })).response.secret).toBe('');
    const stored = await records.find({}).toArray();
    expect(JSON.stringify(stored)).not.toContain(Buffer.from('whsec_').toString('base64'));
  });

  test('is refused if the request differs', async () => {
    const context = testContext();
    await callWith('other', { context });
    await expect(callWith('other', { context, requestHash: 'different' })).rejects.toMatchObject({
      kind: 'idempotency_mismatch',
    });
  });

  test('is independent of calls in another environment', async () => {
    await callWith('shared');
    expect((await callWith('shared')).replayed).toBe(false);
    expect(created).toHaveLength(2);
  });

  test('gets the same refusal again', async () => {
    handle = () => Promise.reject(new DomainError('already_exists', 'TAKEN', 'Taken'));
    const context = testContext();
    const refusal = { kind: 'already_exists', reason: 'TAKEN', message: 'Taken' };
    await expect(callWith('refused', { context })).rejects.toMatchObject(refusal);
    handle = makeEndpoint;
    await expect(callWith('refused', { context })).rejects.toMatchObject(refusal);
    expect(created).toEqual([]);
  });

  test('may be corrected after a mistake and sent again under the same key', async () => {
    handle = () =>
      Promise.reject(new DomainError('invalid_input', 'INVALID_REQUEST', 'Invalid request'));
    const context = testContext();
    await expect(callWith('mistake', { context })).rejects.toMatchObject({ kind: 'invalid_input' });
    handle = makeEndpoint;
    const corrected = await callWith('mistake', { context, requestHash: 'corrected' });
    expect([corrected.replayed, created.length]).toEqual([false, 1]);
  });

  test.each([
    ['unavailable', new DomainError('unavailable', 'X', 'Later')],
    ['a bug', new Error('Bug')],
    ['a payment', new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', 'In progress')],
  ])('may be retried immediately after %s, with the same id', async (name, failure) => {
    const context = testContext();
    handle = async (received, passedOn) => {
      await makeEndpoint(received, passedOn);
      throw failure;
    };
    await expect(callWith(name, { context })).rejects.toThrow();
    handle = makeEndpoint;
    const { replayed } = await callWith(name, { context });
    expect(replayed).toBe(false);
    expect(created).toHaveLength(2);
    expect(created[0]).toBe(created[1]);
  });

  test('that timed out is run again by one of twenty retries, and all of them get its answer', async () => {
    const context = testContext();
    handle = (received, passedOn) =>
      makeEndpoint(received, passedOn).then(() => new Promise<never>(() => undefined));
    // Repeated with more time on a machine so slow that the call did not reach the handler.
    for (let ms = 3_000; created.length === 0; ms *= 2) {
      const dead = { ...context, deadline: new Date(systemClock.now().getTime() + ms) };
      await expect(callWith('crash', { context: dead })).rejects.toThrow();
    }
    handle = makeEndpoint;
    const calls = Array.from({ length: 20 }, () => callWith('crash', { context }));
    const ids = (await Promise.all(calls)).map(({ response }) => response.webhookEndpoint?.id);
    expect(new Set(ids).size).toBe(1);
    expect(created).toHaveLength(2);
    expect(created[0]).toBe(created[1]);
  });

  test('whose outcome cannot be stored gets its answer', async () => {
    const context = testContext();
    handle = async (received, passedOn) => {
      const response = await makeEndpoint(received, passedOn);
      hasSpace = false;
      return response;
    };
    const { response, replayed } = await callWith('unstored', { context });
    expect([response.webhookEndpoint?.id, replayed]).toEqual([created[0], false]);
  });

  test('is deleted from the records after a day', async () => {
    const context = testContext();
    await callWith('old', { context });
    await deleteOldRecords(records, new Date(systemClock.now().getTime() + 1_000));
    expect((await callWith('old', { context })).replayed).toBe(false);
    expect(new Set(created).size).toBe(2);
  });

  test('is deleted in batches, the last one before a stop is completed', async () => {
    const context = testContext();
    await callWith('kept', { context });
    const { environmentId } = context.tenant;
    const before = new Date(systemClock.now().getTime() - 24 * 60 * 60 * 1_000);
    const kept = await records.findOne({ environmentId });
    if (kept === null) throw new Error('The call has no record');
    await records.insertMany(
      Array.from({ length: 2 * deleteBatchMax + 1 }, () => ({
        ...kept,
        _id: newId(),
        createdAt: new Date(before.getTime() - 1_000),
      })),
    );
    const stopping = new AbortController();
    await deleteInBatches(() => {
      stopping.abort();
      return deleteOldRecords(records, before);
    }, stopping.signal);
    expect(await records.countDocuments({ environmentId })).toBe(deleteBatchMax + 2);
    await deleteInBatches(() => deleteOldRecords(records, before));
    expect(await records.find({ environmentId }).toArray()).toEqual([kept]);
  });

  test('is a new call after a day, even with another request and before its record is deleted', async () => {
    const context = testContext();
    await callWith('aged', { context });
    const { environmentId } = context.tenant;
    const yesterday = new Date(systemClock.now().getTime() - 24 * 60 * 60 * 1_000);
    await records.updateOne({ environmentId }, { $set: { createdAt: yesterday } });
    const { replayed } = await callWith('aged', { context, requestHash: 'different' });
    expect(replayed).toBe(false);
    expect(new Set(created).size).toBe(2);
  });
});

function endpointOf(id: string, { tenant, now }: CallContext): CreateWebhookEndpointResponse {
  const webhookEndpoint = {
    id,
    organizationId: tenant.organizationId,
    url: request.url,
    events: [],
    description: undefined,
    active: true,
    headerPrefix: 'Billing',
    createdAt: now,
    updatedAt: now,
    version: 1n,
  };
  return { webhookEndpoint, secret: 'whsec_shown-once' };
}

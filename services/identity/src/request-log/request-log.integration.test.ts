import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
} from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type LoggedRequest,
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@billing/proto/billing/identity/v1/request_log';
import type { RequestFilter } from './request-entry';
import { RequestStore } from './request-store';
import { start } from '../service';
import { identityTestConfiguration } from '../testing/configuration';

const configuration = identityTestConfiguration();

let service: RunningService;
let log: Peer<RequestLogServiceServer>;
let identity: Peer<IdentityServiceServer>;
let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  service = await start(configuration);
  const caller = { address: service.address, service: 'test' };
  log = connectPeer<RequestLogServiceServer>(RequestLogServiceService, {
    ...caller,
    withoutTenant: ['recordRequests'],
  });
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    ...caller,
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  log.close();
  identity.close();
  await mongo.close();
  await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

function aRequest(context: CallContext, request: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: newId(),
    requestId: 'r',
    environmentId: context.tenant.environmentId,
    at: new Date('2026-11-21T12:00:00.123Z'),
    method: 'POST',
    path: '/v1/customers',
    status: 201,
    errorCode: undefined,
    durationMs: 12,
    traceId: 'a'.repeat(32),
    caller: { $case: 'key', value: { prefix: 'billing_test_', last4: 'abcd' } },
    audit: undefined,
    query: undefined,
    requestBody: undefined,
    responseBody: undefined,
    ...request,
  };
}

const any = {
  method: undefined,
  statusClass: undefined,
  pathPrefix: undefined,
  requestId: undefined,
};
const list = (context: CallContext, wanted: Partial<Parameters<typeof log.listRequests>[0]> = {}) =>
  log.listRequests({ page: 1, perPage: 20, ...any, ...wanted }, context);

const whole = (requests: LoggedRequest[]) => ({
  requests,
  total: requests.length,
  totalIsMore: false,
  searchedSince: undefined,
});

test('requests are listed as reported, newest first, to their own environment alone', async () => {
  const [context, other] = [testContext(), testContext()];
  const first = aRequest(context);
  const second = aRequest(context, {
    method: 'GET',
    status: 404,
    errorCode: 'customer_not_found',
    traceId: undefined,
    caller: { $case: 'operatorEmail', value: 'owner@example.com' },
  });
  await log.recordRequests({ requests: [first, aRequest(other), second] }, context);
  expect(await list(context)).toEqual(whole([second, first]));
  expect(await list(context, { oldestFirst: true })).toEqual(whole([first, second]));
  expect((await list(other)).total).toBe(1);
  expect(await list(testContext())).toEqual(whole([]));
});

const bodies = {
  query: 'perPage=0&email=ada%40example.com',
  requestBody: { json: '{"email":"ada@example.com"}', isShortened: false },
  responseBody: { json: '{"id":"…"}', isShortened: true },
};

test('a request is read with its query and bodies in its own environment, and listed without them', async () => {
  const [context, other] = [testContext(), testContext()];
  const [request, bare] = [aRequest(context, bodies), aRequest(context)];
  const batch = { requests: [request, bare] };
  await log.recordRequests(batch, context);
  await log.recordRequests(batch, context);
  expect(await log.getLoggedRequest({ id: request.id }, context)).toEqual({ request });
  expect(await log.getLoggedRequest({ id: bare.id }, context)).toEqual({ request: bare });
  const none = { query: undefined, requestBody: undefined, responseBody: undefined };
  expect(await list(context)).toEqual(whole([bare, { ...request, ...none }]));
  for (const [id, whose] of [
    [request.id, other],
    [newId(), context],
    ['', context],
  ] as const) {
    await expect(log.getLoggedRequest({ id }, whose)).rejects.toMatchObject({
      reason: 'REQUEST_NOT_FOUND',
    });
  }
});

test('a body over 16 kB is not stored', async () => {
  const context = testContext();
  const bodyOf = (length: number) => ({ json: `"${'ä'.repeat(length)}"`, isShortened: false });
  const request = aRequest(context, { requestBody: bodyOf(8_191), responseBody: bodyOf(8_192) });
  await log.recordRequests({ requests: [request] }, context);
  const { request: read } = await log.getLoggedRequest({ id: request.id }, context);
  expect(read).toEqual({ ...request, responseBody: undefined });
});

test('bodies are deleted before their requests', async () => {
  const context = testContext();
  const store = new RequestStore(mongo.db);
  const request = aRequest(context, bodies);
  await log.recordRequests({ requests: [request] }, context);
  await store.deleteOlderBodies(new Date(systemClock.now().getTime() - 60_000));
  expect((await store.find(request.id, context))?.requestBody).toEqual(bodies.requestBody);
  await store.deleteOlderBodies(new Date(systemClock.now().getTime() + 60_000));
  const kept = { ...request, query: undefined, requestBody: undefined, responseBody: undefined };
  expect(await log.getLoggedRequest({ id: request.id }, context)).toEqual({ request: kept });
});

test('a batch that is sent again is stored once, and an entry without a place is in no list', async () => {
  const context = testContext();
  const request = aRequest(context);
  const nowhere = aRequest(context, { environmentId: '' });
  const batch = { requests: [request, nowhere, aRequest(context, { at: undefined })] };
  await log.recordRequests(batch, context);
  await log.recordRequests(batch, context);
  expect(await list(context)).toEqual(whole([request]));
});

test('a list is narrowed by method, class of status, beginning of the path and request id', async () => {
  const context = testContext();
  const requests = [
    aRequest(context, { requestId: 'one' }),
    aRequest(context, { requestId: 'two', method: 'DELETE', path: '/v1/api-keys/1', status: 404 }),
    aRequest(context, { requestId: 'two', path: '/v1/customers/1', status: 500 }),
  ];
  await log.recordRequests({ requests }, context);
  const totalOf = async (wanted: Parameters<typeof list>[1]) => (await list(context, wanted)).total;
  expect(await totalOf({ method: 'DELETE' })).toBe(1);
  expect(await totalOf({ statusClass: 4 })).toBe(1);
  expect(await totalOf({ statusClass: 5, method: 'POST' })).toBe(1);
  expect(await totalOf({ pathPrefix: '/v1/customers' })).toBe(2);
  expect(await totalOf({ pathPrefix: '/v1/customers/' })).toBe(1);
  expect(await totalOf({ pathPrefix: '.*' })).toBe(0);
  expect(await totalOf({ requestId: 'two' })).toBe(2);
  expect(await totalOf({ requestId: 'tw' })).toBe(0);
  const page = await list(context, { page: 2, perPage: 2 });
  expect([page.requests.map(({ requestId }) => requestId), page.total]).toEqual([['one'], 3]);
});

test('a search is limited and reports its limit, and a list by index is complete', async () => {
  const context = testContext();
  const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second));
  const requests = Array.from({ length: 5 }, (_, second) =>
    aRequest(context, { at: at(second), requestId: second === 0 ? 'first' : 'r' }),
  );
  await log.recordRequests({ requests }, context);
  const found = async (filter: RequestFilter, searchedMax: number) => {
    const store = new RequestStore(mongo.db, systemClock, searchedMax);
    const { data, searchedSince } = await store.list(context, { filter, page: 1, perPage: 20 });
    return [data.length, searchedSince];
  };
  for (const filter of [{ method: 'POST' }, { statusClass: 2 }, { pathPrefix: '/v1' }]) {
    expect(await found(filter, 3)).toEqual([3, at(2)]);
    expect(await found(filter, 5)).toEqual([5, undefined]);
    expect(await found(filter, 9)).toEqual([5, undefined]);
  }
  expect(await found({ method: 'DELETE' }, 3)).toEqual([0, at(2)]);
  expect(await found({}, 3)).toEqual([5, undefined]);
  expect(await found({ requestId: 'first', method: 'POST' }, 3)).toEqual([1, undefined]);
});

test('a limited count is reported as such', async () => {
  const context = testContext();
  for (let batch = 0; batch < 10; batch += 1) {
    const requests = Array.from({ length: 1_000 }, () => aRequest(context));
    await log.recordRequests({ requests }, context);
  }
  expect(await list(context)).toMatchObject({ total: 10_000, totalIsMore: false });
  await log.recordRequests({ requests: [aRequest(context)] }, context);
  expect(await list(context)).toMatchObject({ total: 10_000, totalIsMore: true });
  expect(await list(context, { page: 501 })).toMatchObject({
    requests: [expect.anything()],
    total: 10_000,
    totalIsMore: true,
  });
});

test('a batch that is too large and a page outside the list are refused', async () => {
  const context = testContext();
  const requests = Array.from({ length: 1_001 }, () => aRequest(context));
  await expect(log.recordRequests({ requests }, context)).rejects.toMatchObject({
    fields: { requests: ['Must be at most 1000'] },
  });
  await expect(list(context, { perPage: 101 })).rejects.toMatchObject({ kind: 'invalid_input' });
});

test('requests are deleted after their retention, in all environments, and no others are', async () => {
  const context = testContext();
  const old = Array.from({ length: 3 }, (_, index) =>
    aRequest(context, { id: `0190000${String(index)}-0000-7000-8000-000000000000` }),
  );
  const fresh = aRequest(context);
  await log.recordRequests({ requests: [...old, fresh] }, context);
  const store = new RequestStore(mongo.db);
  await store.deleteOlder(new Date(systemClock.now().getTime() - 7 * 24 * 3_600_000));
  expect(await list(context)).toEqual(whole([fresh]));
});

test('the first call with a key is recorded, in its environment alone', async () => {
  const { live, sandbox } = await identity.ensureOrganization({ name: newId() }, testContext());
  const contextOf = (environment: typeof live) => {
    if (environment === undefined) throw new Error('Nothing came back');
    const { id: environmentId, organizationId } = environment;
    return testContext({ tenant: { environmentId, organizationId } });
  };
  const request = { name: 'Backend', scopes: [], expiresAt: undefined, createdBy: undefined };
  const { key } = await identity.createApiKey(request, contextOf(sandbox));
  const isUsed = async (environment: typeof live) =>
    (await log.getApiUse({}, contextOf(environment))).firstCallMade;
  expect(await isUsed(sandbox)).toBe(false);
  await identity.authenticate({ key }, testContext());
  await eventually(async () => {
    expect(await isUsed(sandbox)).toBe(true);
  });
  expect(await isUsed(live)).toBe(false);
});

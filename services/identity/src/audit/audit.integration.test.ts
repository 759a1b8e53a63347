import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
import { AuditActorType, type AuditEntry, Role } from '@billing/proto/billing/identity/v1/operator';
import {
  type LoggedRequest,
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@billing/proto/billing/identity/v1/request_log';
import { AuditStore } from './audit-store';
import { context, OperatorTests, originAt, present, reason } from '../testing/operators';

const tests = new OperatorTests();
let log: Peer<RequestLogServiceServer>;
let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  await tests.start(systemClock);
  log = connectPeer<RequestLogServiceServer>(RequestLogServiceService, {
    address: tests.address,
    service: 'test',
    withoutTenant: ['recordRequests'],
  });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  log.close();
  await mongo.close();
  await tests.stop();
});

interface Filter {
  readonly actorId?: string;
  readonly targetId?: string;
  readonly targetIds?: string[];
  readonly since?: Date;
  readonly until?: Date;
}

/** Each operator has accepted an invitation. */
const isAcceptance = ({ action }: Pick<AuditEntry, 'action'>) =>
  action === 'POST /dashboard/api/invitations/accept';

/** Lists entries other than accepted invitations. */
async function list(sessionToken: string, filter: Filter = {}) {
  const { actorId, targetId, targetIds = [], since, until } = filter;
  const page = await tests.peer.listAuditEntries(
    { sessionToken, page: 1, perPage: 10, actorId, targetId, targetIds, since, until },
    context(),
  );
  const entries = page.entries.filter((entry) => !isAcceptance(entry));
  return { ...page, entries, total: page.total - (page.entries.length - entries.length) };
}

async function exported(sessionToken: string, range: { since?: Date; until?: Date } = {}) {
  const { since, until } = range;
  const asked = { sessionToken, since, until, after: undefined };
  const { entries } = await tests.peer.exportAuditEntries(asked, context());
  return entries.filter((entry) => !isAcceptance(entry));
}

type Organization = Awaited<ReturnType<typeof tests.anOwner>>['organization'];

function aWrite({ organizationId, sandbox }: Organization, at = new Date()): LoggedRequest {
  return {
    id: newId(),
    requestId: newId(),
    environmentId: sandbox?.id ?? '',
    at,
    method: 'POST',
    path: '/v1/products',
    status: 201,
    errorCode: undefined,
    durationMs: 1,
    traceId: undefined,
    requestBody: undefined,
    responseBody: undefined,
    caller: { $case: 'key', value: { prefix: 'billing_test_', last4: 'abcd' } },
    audit: {
      apiKeyId: newId(),
      organizationId,
      address: '192.0.2.7',
      userAgent: 'client',
      action: 'POST /v1/products',
      target: { type: 'product', id: newId() },
      changes: [{ field: 'amount', fromJson: undefined, toJson: '2900' }],
      environmentTime: new Date('2026-02-28T00:00:00Z'),
    },
  };
}

test("an operator's change is recorded before and after, and shown to owners and admins", async () => {
  const { organization, owner } = await tests.anOwner();
  const developer = await tests.aColleague(owner, Role.ROLE_DEVELOPER);
  const entry = {
    sessionToken: developer.token,
    action: 'POST /v1/api-keys',
    path: '/v1/api-keys',
    environmentId: organization.sandbox?.id,
    requestId: newId(),
    origin: originAt('office'),
  };
  const { id } = await tests.peer.beginAuditEntry(entry, context());
  expect((await tests.peer.beginAuditEntry(entry, context())).id).toBe(id);
  const [begun] = (await list(owner.token)).entries;
  expect(begun).toMatchObject({
    id,
    actor: { id: developer.id, email: developer.email },
    address: '192.0.2.1',
    userAgent: 'Test',
    action: entry.action,
    environmentId: entry.environmentId,
    status: undefined,
  });
  const { organizationId } = organization;
  const environmentId = present(organization.live).id;
  const tenant = { organizationId, environmentId, live: true, manualClock: false };
  const target = { type: 'api_key', id: newId() };
  const changes = [{ field: 'name', fromJson: undefined, toJson: '"Backend"' }];
  const environmentTime = new Date('2026-01-31T00:00:00Z');
  const ended = { id, target, changes, environmentTime };
  const end = (status: number) =>
    tests.peer.endAuditEntry({ ...ended, status }, { ...testContext(), tenant });
  await end(201);
  await end(500);
  expect(await list(owner.token)).toMatchObject({
    entries: [{ id, status: 201, target, changes, environmentTime }],
    total: 1,
    totalIsMore: false,
  });
  await expect(list(developer.token)).rejects.toThrow(reason('INSUFFICIENT_PERMISSIONS'));
  await expect(exported(developer.token)).rejects.toThrow(reason('INSUFFICIENT_PERMISSIONS'));
  const stranger = (await tests.anOwner()).owner;
  expect(await list(stranger.token)).toMatchObject({ entries: [], total: 0 });
  expect(await exported(stranger.token)).toEqual([]);
});

test('writes by API keys are recorded once with their requests, and found by actor and target', async () => {
  const { organization, owner } = await tests.anOwner();
  const requests = [aWrite(organization), aWrite(organization)];
  await log.recordRequests({ requests }, context());
  await log.recordRequests({ requests }, context());
  expect((await list(owner.token)).total).toBe(2);
  const { audit, requestId } = present(requests[0]);
  const { apiKeyId, target, changes } = present(audit);
  for (const filter of [{ actorId: apiKeyId }, { targetId: present(target).id }]) {
    expect((await list(owner.token, filter)).entries).toMatchObject([
      {
        actor: { type: AuditActorType.AUDIT_ACTOR_TYPE_API_KEY, id: apiKeyId, email: undefined },
        address: '192.0.2.7',
        action: 'POST /v1/products',
        environmentId: organization.sandbox?.id,
        requestId,
        target,
        changes,
        status: 201,
        environmentTime: new Date('2026-02-28T00:00:00Z'),
      },
    ]);
  }
});

test('entries are found by several targets, and within a time', async () => {
  const { organization, owner } = await tests.anOwner();
  const day = (date: number) => new Date(Date.UTC(2026, 0, date));
  const requests = [1, 2, 3, 4].map((date) => aWrite(organization, day(date)));
  await log.recordRequests({ requests }, context());
  const idsOf = async (filter: Filter) =>
    (await list(owner.token, filter)).entries.map(({ id }) => id);
  const targetIds = requests.slice(0, 2).map(({ audit }) => present(audit?.target).id);
  const [first, second, third] = requests.map(({ id }) => id);
  expect(await idsOf({ targetIds })).toEqual([second, first]);
  expect(await idsOf({ targetIds, since: day(2) })).toEqual([second]);
  expect(await idsOf({ since: day(2), until: day(4) })).toEqual([third, second]);
  const tooMany = Array.from({ length: 201 }, () => newId());
  await expect(list(owner.token, { targetIds: tooMany })).rejects.toMatchObject({
    fields: { targetIds: ['Must have at most 200 entries'] },
  });
});

test("an operator's failed sign-in is recorded", async () => {
  const { owner } = await tests.anOwner();
  await expect(tests.logIn(owner.email, 'wrong')).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  expect((await list(owner.token)).entries).toMatchObject([
    {
      actor: { id: owner.id, email: owner.email },
      action: 'POST /dashboard/api/session',
      address: '192.0.2.1',
      status: 401,
      changes: [{ field: 'password' }],
    },
  ]);
});

test('an export is oldest first, in parts, within its times', async () => {
  const { organization, owner } = await tests.anOwner();
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(index / 2)));
  const requests = Array.from({ length: 600 }, (_one, index) => aWrite(organization, at(index)));
  await log.recordRequests({ requests }, context());
  const first = await exported(owner.token);
  expect(first).toHaveLength(500);
  const last = present(first.at(-1));
  const after = { at: last.at, id: last.id };
  const asked = { sessionToken: owner.token, since: undefined, until: undefined, after };
  const { entries } = await tests.peer.exportAuditEntries(asked, context());
  const others = entries.filter((entry) => !isAcceptance(entry));
  const ids = [...first, ...others].map(({ id }) => id);
  expect(new Set(ids)).toEqual(new Set(requests.map(({ id }) => id)));
  const times = [...first, ...others].map((entry) => present(entry.at).getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const within = await exported(owner.token, { since: at(20), until: at(24) });
  expect(within).toHaveLength(4);
});

test('entries of earlier releases are readable, and old ones are deleted after their retention', async () => {
  const { organization, owner } = await tests.anOwner();
  const environmentId = present(organization.live).id;
  const earlier = {
    environmentId,
    operatorId: owner.id,
    operatorEmail: owner.email,
    role: 'OWNER',
    action: 'POST /v1/customers',
    path: '/v1/customers',
    concerns: null,
    requestId: 'r',
    status: 201,
  };
  const collection = mongo.db.collection<{ _id: string }>('auditEntries');
  const ids = [newId(), newId()] as const;
  await collection.insertOne({ _id: ids[0], ...earlier, at: new Date('2025-01-01') } as never);
  await collection.insertOne({ _id: ids[1], ...earlier, at: new Date() } as never);
  expect((await list(owner.token)).entries).toMatchObject([
    { id: ids[1], actor: { id: owner.id, email: owner.email }, target: undefined, changes: [] },
    { id: ids[0] },
  ]);
  await new AuditStore(mongo.db).deleteOlder(new Date('2025-06-01'));
  expect((await list(owner.token)).entries.map(({ id }) => id)).toEqual([ids[1]]);
});

test('each entry is copied to the log when that is configured', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const lines: unknown[] = [];
  logger.info = (...line: unknown[]) => lines.push(line);
  const store = new AuditStore(mongo.db, logger);
  const at = new Date();
  const actor = { type: 'SYSTEM', id: 'first-owner', email: undefined } as const;
  const where = { address: '', userAgent: '', environmentId: undefined, requestId: newId() };
  const what = { action: 'first-owner --reset', path: '', target: undefined, changes: [] };
  const entry = { id: newId(), at, actor, ...where, ...what, status: undefined };
  await store.insert([{ live: newId(), entry }]);
  expect(lines).toEqual([[{ audit: entry }, 'audit']]);
});

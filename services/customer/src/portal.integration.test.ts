import { Collection } from 'mongodb';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import {
  CollectionMethod,
  type CustomerServiceServer,
  CustomerServiceService,
  TaxExempt,
} from '@billing/proto/billing/customer/v1/customer';
import {
  PortalDoor,
  type PortalServiceServer,
  PortalServiceService,
} from '@billing/proto/billing/customer/v1/portal';
import { proofHash } from './portal-session';
import { PortalSessionStore } from './portal-session-store';
import { start } from './service';
import { customerTestConfiguration } from './testing/configuration';

const siteUrl = 'https://pay.example';
const configuration = customerTestConfiguration(undefined, siteUrl);
const hourMs = 3_600_000;

let aheadMs = 0;
const clock: Clock = { now: () => new Date(systemClock.now().getTime() + aheadMs) };
let service: RunningService;
let customers: Peer<CustomerServiceServer>;
let portal: Peer<PortalServiceServer>;

beforeAll(async () => {
  service = await start(configuration, { clock });
  const options = { address: service.address, service: 'test' };
  customers = connectPeer<CustomerServiceServer>(CustomerServiceService, options);
  portal = connectPeer<PortalServiceServer>(PortalServiceService, {
    ...options,
    withoutTenant: ['findPortalSession', 'enterPortal', 'findPortalVisit', 'leavePortal'],
  });
});

afterAll(async () => {
  customers.close();
  portal.close();
  await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

afterEach(() => {
  aheadMs = 0;
});

async function aSession(returnUrl?: string, context = testContext()) {
  const { customer } = await customers.createCustomer(
    {
      email: 'ada@example.com',
      address: undefined,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
      taxIds: [],
      taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
      metadata: undefined,
    },
    context,
  );
  const customerId = customer?.id ?? '';
  const session = await portal.createPortalSession({ customerId, returnUrl }, context);
  return { ...session, customerId, context, token: session.url.replace(`${siteUrl}/portal/`, '') };
}

const enter = (token: string, nonce = newId()) =>
  portal.enterPortal({ token, nonce }, testContext({ deadlineMs: 120_000 + aheadMs }));
const find = (token: string) =>
  portal.findPortalSession({ token }, testContext({ deadlineMs: 120_000 + aheadMs }));
const visit = (secret: string) =>
  portal.findPortalVisit({ secret }, testContext({ deadlineMs: 120_000 + aheadMs }));

describe('a session', () => {
  test('belongs to a customer and lasts an hour of real time, also in a sandbox with a manual clock', async () => {
    const context = testContext({ now: new Date('2030-01-01T00:00:00Z') });
    const before = clock.now().getTime();
    const { sessionId, token, expiresAt } = await aSession('https://shop.example/account', context);
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(expiresAt?.getTime()).toBeGreaterThanOrEqual(before + hourMs);
    expect(expiresAt?.getTime()).toBeLessThanOrEqual(clock.now().getTime() + hourMs);
    const { environmentId, organizationId } = context.tenant;
    expect(await find(token)).toEqual({
      door: PortalDoor.PORTAL_DOOR_OPEN,
      tenant: { environmentId, organizationId, live: false, manualClock: true },
      siteUrl,
    });
  });

  test.each(['nonsense', newId()])(
    'cannot be created for the unknown customer %s',
    async (customerId) => {
      const request = { customerId, returnUrl: undefined };
      await expect(portal.createPortalSession(request, testContext())).rejects.toMatchObject({
        reason: 'CUSTOMER_NOT_FOUND',
      });
    },
  );

  test.each(['javascript:alert(1)', '/account', 'https://user@shop.example'])(
    'refuses a return URL of %s',
    async (returnUrl) => {
      await expect(aSession(returnUrl)).rejects.toMatchObject({
        fields: { returnUrl: [expect.any(String)] },
      });
    },
  );

  test('omits its URL from an idempotent replay, and GetPortalUrl returns it', async () => {
    const { customerId, context } = await aSession();
    const keyed = { ...context, idempotency: { key: newId(), requestHash: 'h' } };
    const request = { customerId, returnUrl: undefined };
    const first = await portal.createPortalSession(request, keyed);
    const { sessionId, url, expiresAt } = await portal.createPortalSession(request, keyed);
    expect([sessionId, url, expiresAt]).toEqual([first.sessionId, '', first.expiresAt]);
    expect(await portal.getPortalUrl({ sessionId }, context)).toEqual({ url: first.url });
  });

  test.each(['nonsense', newId()])('with the unknown id %s has no URL', async (sessionId) => {
    await expect(portal.getPortalUrl({ sessionId }, testContext())).rejects.toMatchObject({
      reason: 'PORTAL_SESSION_NOT_FOUND',
    });
  });

  test('of another environment has no URL', async () => {
    const { sessionId } = await aSession();
    await expect(portal.getPortalUrl({ sessionId }, testContext())).rejects.toMatchObject({
      reason: 'PORTAL_SESSION_NOT_FOUND',
    });
  });

  test('is stored without its token and the secret of its visit', async () => {
    const { token } = await aSession();
    const { secret } = await enter(token);
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    const stored = await Promise.all(
      ['portalSessions', 'portalVisits', 'idempotencyRecords'].map((name) =>
        mongo.db.collection(name).find().toArray(),
      ),
    );
    await mongo.close();
    expect(stored.slice(0, 2).every((documents) => documents.length > 0)).toBe(true);
    const text = JSON.stringify(stored);
    expect([text.includes(token), text.includes(secret)]).toEqual([false, false]);
  });
});

describe('a sign-in link', () => {
  test('can be used once, and viewing it does not use it', async () => {
    const { token, customerId, context, expiresAt } = await aSession('https://shop.example/');
    await find(token);
    const entered = await enter(token);
    expect(entered.secret).toMatch(/^[\w-]{43}$/);
    expect(entered.expiresAt).toEqual(expiresAt);
    const { manualClock, live, environmentId, organizationId } = context.tenant;
    expect(await visit(entered.secret)).toEqual({
      customerId,
      returnUrl: 'https://shop.example/',
      tenant: { manualClock, live, environmentId, organizationId },
      siteUrl,
    });
    expect((await find(token)).door).toBe(PortalDoor.PORTAL_DOOR_USED);
    await expect(enter(token)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_USED' });
  });

  test('signs in one of twenty concurrent requests', async () => {
    const { token } = await aSession();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => enter(token)));
    const isSignedIn = ({ status }: { status: string }) => status === 'fulfilled';
    expect(outcomes.filter(isSignedIn)).toHaveLength(1);
  });

  test('returns the same visit to a browser that clicks twice, but not after a minute', async () => {
    const { token } = await aSession();
    const nonce = newId();
    const entered = await Promise.all(Array.from({ length: 5 }, () => enter(token, nonce)));
    expect(new Set(entered.map(({ secret }) => secret)).size).toBe(1);
    aheadMs = 60_000;
    await expect(enter(token, nonce)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_USED' });
  });

  test('expires after an hour', async () => {
    const { token } = await aSession();
    aheadMs = hourMs;
    expect((await find(token)).door).toBe(PortalDoor.PORTAL_DOOR_EXPIRED);
    await expect(enter(token)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_EXPIRED' });
  });

  test.each(['nonsense', 'a'.repeat(43)])('does not exist for the token %s', async (token) => {
    await expect(find(token)).rejects.toMatchObject({ reason: 'PAGE_NOT_FOUND' });
    await expect(enter(token)).rejects.toMatchObject({ reason: 'PAGE_NOT_FOUND' });
  });
});

test('an address has at most three sign-ins in any hour', async () => {
  const { context } = await aSession();
  const isGiven = async (minutes: number) => {
    aheadMs = minutes * 60_000;
    const asking = { ...context, deadline: new Date(clock.now().getTime() + 120_000) };
    const { signIns } = await portal.startPortalSignIns({ email: 'Ada@example.com' }, asking);
    return signIns.length === 1;
  };
  const given: boolean[] = [];
  for (const minutes of [0, 30, 59, 59.5, 60.5, 61, 90, 91, 119, 119.5]) {
    given.push(await isGiven(minutes));
  }
  expect(given).toEqual([true, true, true, false, true, false, true, false, true, false]);
});

describe('a visit', () => {
  test('ends with its session', async () => {
    const { secret } = await enter((await aSession()).token);
    aheadMs = hourMs;
    await expect(visit(secret)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_EXPIRED' });
  });

  test('ends at sign-out, and its nonce does not restore it', async () => {
    const { token } = await aSession();
    const nonce = newId();
    const { secret } = await enter(token, nonce);
    await portal.leavePortal({ secret }, testContext());
    await portal.leavePortal({ secret }, testContext());
    await expect(visit(secret)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_EXPIRED' });
    await expect(enter(token, nonce)).rejects.toMatchObject({ reason: 'PORTAL_SESSION_USED' });
  });

  test.each(['nonsense', 'a'.repeat(43)])('is not found by the secret %s', async (secret) => {
    await expect(visit(secret)).rejects.toMatchObject({ reason: 'PAGE_NOT_FOUND' });
  });

  test('is not found by the token of its session', async () => {
    const { token } = await aSession();
    await enter(token);
    await expect(visit(token)).rejects.toMatchObject({ reason: 'PAGE_NOT_FOUND' });
  });
});

test('sessions and visits are deleted thirty days after their end, and no others', async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const { token } = await aSession();
  const { secret } = await enter(token);
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const store = new PortalSessionStore(mongo.db);
  const days = (count: number) => new Date(clock.now().getTime() + count * 24 * hourMs);
  await store.deleteExpired(days(30));
  expect(await store.findVisit(secret)).toBeDefined();
  await store.deleteExpired(days(31));
  expect([await store.find(token), await store.findVisit(secret)]).toEqual([undefined, undefined]);
  await mongo.close();
});

describe('the store of sessions', () => {
  const { environmentId, organizationId } = testContext().tenant;
  const tenant = { environmentId, organizationId, live: false, manualClock: true };
  const expiresAt = new Date('2100-01-01T00:00:00Z');
  const session = { customerId: newId(), returnUrl: null, expiresAt, tenant };
  const visitOf = { ...session, begunAt: new Date('2099-01-01T00:00:00Z'), endedAt: null };
  const aProof = () => newId().replaceAll('-', '').padEnd(43, 'x');
  let mongo: MongoConnection;
  let store: PortalSessionStore;

  beforeAll(async () => {
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
    mongo = await connectMongo({ uri, database: `${database}_store`, service: 'test' });
  });
  beforeEach(() => {
    store = new PortalSessionStore(mongo.db);
  });
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  test('leaves a token unused if a crash comes before its use is recorded', async () => {
    const [token, secret, lost] = [aProof(), aProof(), aProof()];
    await store.insert(token, session);
    const update = Reflect.get(Collection.prototype, 'updateOne') as Collection['updateOne'];
    let isCrashed = false;
    const crash = jest.spyOn(Collection.prototype, 'updateOne');
    // Only in the store's own database: the service of this file writes heartbeats to another.
    crash.mockImplementation(async function (this: Collection, ...args) {
      if (this.dbName !== mongo.db.databaseName || isCrashed) return update.apply(this, args);
      isCrashed = true;
      throw new Error('crashed');
    });
    const started = store.startVisit({ token, secret: lost }, visitOf);
    await expect(started).rejects.toThrow('crashed');
    expect(await store.isUsed(token)).toBe(false);
    expect(await store.startVisit({ token, secret }, visitOf)).toBe(true);
    expect(await store.startVisit({ token, secret: lost }, visitOf)).toBe(false);
    expect(await store.findStarted({ token, secret })).toEqual(visitOf);
    expect(await store.findStarted({ token, secret: lost })).toBeUndefined();
    crash.mockRestore();
  });

  test('of an earlier version is read: its used tokens stay used', async () => {
    const [used, unused, secret] = [aProof(), aProof(), aProof()];
    await store.insert(used, session);
    await store.insert(unused, session);
    const visits = mongo.db.collection<{ _id: string; tokenHash: string }>('portalVisits');
    await visits.deleteMany({});
    await visits.createIndexes([{ key: { tokenHash: 1 }, name: 'token', unique: true }]);
    await visits.insertOne({ _id: proofHash(secret), tokenHash: proofHash(used) });
    for (let start = 1; start <= 2; start += 1) await store.ensureIndexes();
    expect([await store.isUsed(used), await store.isUsed(unused)]).toEqual([true, false]);
    expect(await store.startVisit({ token: used, secret: aProof() }, visitOf)).toBe(false);
    expect(await store.startVisit({ token: unused, secret: aProof() }, visitOf)).toBe(true);
  });
});

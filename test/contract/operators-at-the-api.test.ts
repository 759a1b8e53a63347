import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { OperatorClient, password } from '../support/operator-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { putWallClockForward } from '../support/wall-clock';

const startMs = 600_000;

let system: OwnTestSystem;
let identity: Peer<IdentityServiceServer>;
let owner: OperatorClient;
let live: string;
let sandbox: string;

beforeAll(async () => {
  system = await startTestSystem();
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: system.addresses.identity,
    service: 'test',
    withoutTenant: ['ensureOrganization'],
  });
  owner = await OperatorClient.owner(system);
  const { body } = await owner.api('GET', '/environments');
  [live, sandbox] = body.data.map(({ id }: { id: string }) => id);
}, startMs);

afterAll(async () => {
  identity.close();
  await system.stop();
});

const shown = ({ status, body, headers }: { status: number; body: any; headers: Headers }) => [
  status,
  body,
  headers.get('error-code'),
];
const idOf = async (client: OperatorClient) =>
  (await client.api('GET', '/session')).body.operator.id as string;
const entries = async (): Promise<any[]> =>
  (await owner.api('GET', '/audit?perPage=100')).body.data;

describe('the public API by session', () => {
  const customer = { email: 'ada@example.com' };

  test('issues keys with the rights of their creator at most', async () => {
    const developer = await owner.colleague('DEVELOPER');
    const create = (environment: string, scopes?: string[]) =>
      developer.in(environment).v1('POST', '/api-keys', { name: 'k', ...(scopes && { scopes }) });
    expect((await create(sandbox)).status).toBe(201);
    expect((await create(live)).status).toBe(403);
    expect((await create(live, ['customers:write'])).status).toBe(403);
    const made = await create(live, ['customers:read', 'webhook-endpoints:write']);
    expect(made.status).toBe(201);
    expect((await system.client(made.body.key as string).get('/customers')).status).toBe(200);
    const sandboxes = await developer.in(live).v1('POST', '/sandboxes', { name: 'mine' });
    expect(sandboxes.status).toBe(201);
    expect((await developer.in(sandbox).v1('POST', '/sandboxes', {})).status).toBe(403);
  });

  test('works in the named environment, at its own time', async () => {
    const at = '2026-01-31T00:00:00.000Z';
    const made = await owner
      .in(live)
      .v1('POST', '/sandboxes', { name: 'slow', clock: 'MANUAL', startsAt: at });
    const there = owner.in(made.body.id as string);
    const created = await there.v1('POST', '/customers', customer);
    expect([created.status, created.body.createdAt]).toEqual([201, at]);
    const path = `/customers/${String(created.body.id)}`;
    expect((await there.v1('GET', path)).status).toBe(200);
    expect((await owner.in(live).v1('GET', path)).status).toBe(404);
    const to = '2026-02-28T00:00:00.000Z';
    expect((await there.v1('POST', '/sandboxes/clock/advance', { to })).status).toBe(200);
    expect((await there.v1('POST', '/customers', customer)).body.createdAt).toBe(to);
  });

  test('needs an environment of the operator’s organization, and a session', async () => {
    const header = 'Environment-Id';
    expect(shown(await owner.v1('GET', '/customers'))).toEqual([
      400,
      { error: { [header]: ['Required'] } },
      'invalid_request',
    ]);
    expect((await owner.in('nonsense').v1('GET', '/customers')).body).toEqual({
      error: { [header]: ['Invalid UUID'] },
    });
    const foreign = await owner.in(unknownId).v1('GET', '/customers');
    expect([foreign.status, foreign.headers.get('error-code')]).toEqual([
      404,
      'environment_not_found',
    ]);
    const other = await identity.ensureOrganization({ name: newId() }, testContext());
    for (const { id = '' } of [other.live ?? {}, other.sandbox ?? {}]) {
      expect([id, (await owner.in(id).v1('GET', '/customers')).status]).toEqual([id, 404]);
    }
    const stranger = owner.in(live);
    stranger.cookie = `operator=${'x'.repeat(43)}`;
    expect((await stranger.v1('GET', '/customers')).status).toBe(401);
    stranger.cookie = undefined;
    expect(shown(await stranger.v1('GET', '/customers'))[2]).toBe('invalid_api_key');
  });

  test('refuses writes and reads from another site, and without an origin', async () => {
    const there = owner.in(sandbox);
    const status = async (method: string, headers: Record<string, string | undefined>) =>
      (await there.v1(method, '/customers', method === 'POST' ? customer : undefined, headers))
        .status;
    const untold = { 'Sec-Fetch-Site': undefined };
    const own = system.gatewayUrl;
    for (const method of ['GET', 'POST']) {
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'none' },
        untold,
        { ...untold, Origin: 'https://evil.example' },
        { ...untold, Origin: 'null' },
        { ...untold, Origin: 'http://127.0.0.1:1' },
        { ...untold, Origin: own.replace('127.0.0.1', 'sub.localhost') },
        { ...untold, Origin: `${own}@evil.example` },
        { ...untold, Referer: 'https://evil.example/' },
        { ...untold, Origin: 'https://evil.example', Referer: `${own}/dashboard` },
      ]) {
        expect([method, headers, await status(method, headers)]).toEqual([method, headers, 403]);
      }
    }
    expect(await status('GET', { ...untold, Referer: `${own}/dashboard` })).toBe(200);
    expect(await status('POST', { ...untold, Referer: `${own}/dashboard` })).toBe(403);
    expect(await status('POST', { ...untold, Origin: own })).toBe(201);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      for (const site of ['cross-site', 'same-site', undefined]) {
        const form = { 'Sec-Fetch-Site': site, 'Content-Type': type };
        expect([type, site, await status('POST', form)]).toEqual([type, site, 403]);
      }
    }
  });

  test('a key alone counts, even if a cookie comes with it', async () => {
    const headers = { Authorization: `Bearer ${system.sandboxKey}`, 'Sec-Fetch-Site': undefined };
    expect((await owner.in(live).v1('GET', '/customers', undefined, headers)).status).toBe(200);
    const bad = { ...headers, Authorization: 'Bearer nonsense' };
    expect((await owner.in(live).v1('GET', '/customers', undefined, bad)).status).toBe(401);
  });

  test('every write is recorded in the audit log with its result, however the caller names it', async () => {
    const viewer = await owner.colleague('VIEWER');
    const id = await idOf(owner);
    const there = owner.in(sandbox);
    const sameId = { 'X-Request-Id': 'chosen-by-the-caller' };
    const created = await there.v1('POST', '/customers', customer, sameId);
    await there.v1('POST', '/customers', { email: 7 }, sameId);
    await there.v1('GET', '/customers', undefined, sameId);
    await viewer.in(sandbox).v1('POST', '/customers?email=secret', customer);
    await there.v1('PATCH', `/customers/${unknownId}`, { name: 'x' });
    const written = (await entries()).slice(0, 4);
    expect(written.map(({ action, path, status }) => [action, path, status])).toEqual([
      ['PATCH /v1/customers/:id', `/v1/customers/${unknownId}`, 404],
      ['POST /v1/customers', '/v1/customers', 403],
      ['POST /v1/customers', '/v1/customers', 400],
      ['POST /v1/customers', '/v1/customers', 201],
    ]);
    expect(written[3]).toEqual({
      id: expect.stringMatching(uuid),
      at: expect.stringMatching(instant),
      actor: { type: 'OPERATOR', id, email: 'owner@example.com', name: expect.any(String) },
      address: '127.0.0.1',
      userAgent: expect.any(String),
      action: 'POST /v1/customers',
      path: '/v1/customers',
      target: { type: 'customer', id: created.body.id, name: null, currency: 'USD' },
      changes: { email: {} },
      environmentId: sandbox,
      requestId: created.headers.get('x-request-id'),
      status: 201,
      environmentTime: expect.stringMatching(instant),
      names: { [created.body.id]: 'ada@example.com' },
    });
    expect(written[1].actor.email).toMatch(/^viewer/);
  });

  test('sign-in and sign-out are recorded too, without credentials', async () => {
    const developer = await owner.colleague('DEVELOPER');
    const { email } = (await developer.api('GET', '/session')).body.operator;
    const headers = { 'X-Request-Id': 'chosen-by-the-caller' };
    const client = new OperatorClient(system.gatewayUrl);
    const logIn = (typed: string) =>
      client.api('POST', '/session', { email, password: typed }, headers);
    await logIn('not the password');
    await logIn(password);
    client.cookie = undefined;
    await logIn(password);
    const session = client.cookie;
    await client.api('DELETE', '/session');
    // Expired, and without an operator.
    for (const cookie of [session, `operator=${'x'.repeat(43)}`, undefined]) {
      client.cookie = cookie;
      const { status, headers: answered } = await client.api('DELETE', '/session');
      expect([status, answered.get('set-cookie')]).toEqual([
        204,
        expect.stringMatching(/^operator=; .*Max-Age=0/),
      ]);
    }
    const theirs = (await entries()).filter(({ actor }) => actor.email === email);
    const path = '/dashboard/api/session';
    expect(theirs.map((entry) => [entry.action, entry.path, entry.status])).toEqual([
      [`DELETE ${path}`, path, 204],
      [`POST ${path}`, path, 200],
      [`POST ${path}`, path, 200],
      [`POST ${path}`, path, 401],
      ['POST /dashboard/api/invitations/accept', '/dashboard/api/invitations/accept', 200],
    ]);
    expect(theirs[0]).toMatchObject({
      actor: { type: 'OPERATOR', id: await idOf(developer), email },
      environmentId: null,
    });
  });
});

describe('a session belongs to its operator alone', () => {
  const newcomer = () => new OperatorClient(system.gatewayUrl);
  const emailOf = async (client: OperatorClient) =>
    (await client.api('GET', '/session')).body.operator?.email as string | undefined;
  const logIn = (client: OperatorClient, email = 'owner@example.com', typed = password) =>
    client.api('POST', '/session', { email, password: typed });
  const isOver = async (client: OperatorClient) => {
    const own = await client.api('GET', '/session');
    const api = await client.in(sandbox).v1('GET', '/customers');
    return [own, api].every(({ headers }) => headers.get('error-code') === 'invalid_session');
  };

  const isOverAfter = async (client: OperatorClient, hours: number) => {
    const restore = putWallClockForward(hours * 3_600_000);
    try {
      return await isOver(client);
    } finally {
      restore();
    }
  };

  test('a cookie from before the sign-in is never adopted, even if it is valid', async () => {
    const attacker = await owner.colleague('VIEWER');
    const theirs = attacker.cookie ?? '';
    const invented = `operator=${'p'.repeat(43)}`;
    for (const planted of [theirs, invented, `${theirs}; ${invented}`]) {
      const victim = newcomer();
      victim.cookie = planted;
      expect((await logIn(victim)).status).toBe(200);
      expect(planted).not.toContain(victim.cookie);
      expect(await emailOf(victim)).toBe('owner@example.com');
    }
    // The attacker's own session is unchanged, and the invented one still opens nothing.
    expect(await emailOf(attacker)).toMatch(/^viewer/);
    const anonymous = newcomer();
    anonymous.cookie = invented;
    expect(await isOver(anonymous)).toBe(true);
  });

  test('an operator who accepts an invitation gets a new one too', async () => {
    const { body } = await owner.api('POST', '/operators', {
      email: 'planted@example.com',
      role: 'VIEWER',
    });
    const invited = newcomer();
    invited.cookie = owner.cookie;
    await invited.accept(body.link as string, 'planted@example.com');
    expect(invited.cookie).not.toBe(owner.cookie);
    expect(await emailOf(invited)).toBe('planted@example.com');
    expect(await emailOf(owner)).toBe('owner@example.com');
  });

  test('an ended one stays ended, even when its operator signs in again', async () => {
    const client = newcomer();
    await logIn(client);
    const ended = newcomer();
    ended.cookie = client.cookie;
    await client.api('DELETE', '/session');
    await logIn(client);
    expect(await isOver(ended)).toBe(true);
    expect(await emailOf(client)).toBe('owner@example.com');
  });

  test('a new password ends all others immediately, and the old one is refused', async () => {
    const one = await owner.colleague('DEVELOPER');
    const email = (await emailOf(one)) ?? '';
    const other = newcomer();
    await logIn(other, email);
    const newPassword = 'another longer better one';
    await one.api('PUT', '/password', { currentPassword: password, newPassword });
    expect(await isOver(other)).toBe(true);
    expect(await emailOf(one)).toBe(email);
    expect((await logIn(newcomer(), email)).status).toBe(401);
    expect((await logIn(newcomer(), email, newPassword)).status).toBe(200);
  });

  test('it ends after seven days, even in constant use', async () => {
    const client = newcomer();
    await logIn(client);
    // Never idle for twelve hours.
    for (let hours = 11; hours < 7 * 24; hours += 11)
      expect(await isOverAfter(client, hours)).toBe(false);
    expect(await isOverAfter(client, 7 * 24 + 1)).toBe(true);
  });

  test('a removed role has no effect from the next request on, and neither has a removed operator', async () => {
    const developer = await owner.colleague('DEVELOPER');
    const path = `/operators/${await idOf(developer)}`;
    const write = async () =>
      (await developer.in(sandbox).v1('POST', '/customers', { email: 7 })).status;
    expect(await write()).toBe(400);
    await owner.api('PATCH', path, { role: 'VIEWER' });
    expect(await write()).toBe(403);
    await owner.api('PATCH', path, { active: false });
    expect(await isOver(developer)).toBe(true);
  });
});

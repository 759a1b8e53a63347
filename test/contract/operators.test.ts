import { OperatorClient, password, type RoleName } from '../support/operator-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { putWallClockForward } from '../support/wall-clock';

const startMs = 600_000;

let system: OwnTestSystem;
let owner: OperatorClient;

beforeAll(async () => {
  system = await startTestSystem();
  owner = await OperatorClient.owner(system);
}, startMs);

afterAll(async () => {
  await system.stop();
});

const newcomer = () => new OperatorClient(system.gatewayUrl);
const shown = ({ status, body, headers }: { status: number; body: any; headers: Headers }) => [
  status,
  body,
  headers.get('error-code'),
];
const idOf = async (client: OperatorClient) =>
  (await client.api('GET', '/session')).body.operator.id as string;
const entries = async (): Promise<any[]> =>
  (await owner.api('GET', '/audit?perPage=100')).body.data;

describe('a session', () => {
  const logIn = (client: OperatorClient, input: object, headers = {}) =>
    client.api('POST', '/session', input, headers);
  const credentials = { email: 'OWNER@example.com', password };

  test('is opened by the right password, with a cookie that no script can read and another token each time', async () => {
    const client = newcomer();
    client.cookie = 'operator=planted';
    const answer = await logIn(client, credentials);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        operator: {
          id: expect.stringMatching(uuid),
          email: 'owner@example.com',
          name: 'owner@example.com',
          invitedBy: null,
          emailProven: false,
          emailFromProvider: false,
          role: 'OWNER',
          active: true,
          secondFactor: null,
          createdAt: expect.stringMatching(instant),
        },
        organization: {
          id: expect.stringMatching(uuid),
          name: 'Local',
          providerOnly: false,
          requireSecondFactor: false,
        },
        expiresAt: expect.stringMatching(instant),
      },
    ]);
    expect(client.lastCookie).toMatch(
      /^operator=[\w-]{43}; Path=\/; Max-Age=60\d{4}; HttpOnly; SameSite=Strict$/,
    );
    const first = client.cookie;
    await logIn(client, credentials);
    expect(new Set([first, client.cookie, 'operator=planted']).size).toBe(3);
    expect(JSON.stringify(answer.body)).not.toContain(first.split('=')[1]);
  });

  test('shows its operator and the accessible environments', async () => {
    const { status, body } = await owner.api('GET', '/session');
    expect([status, body.operator.role, body.organization.name]).toEqual([200, 'OWNER', 'Local']);
    const environment = {
      id: expect.stringMatching(uuid),
      name: null,
      clock: 'REAL',
      now: expect.stringMatching(instant),
      createdAt: expect.stringMatching(instant),
      deletesAt: null,
    };
    expect(body.environments).toEqual([
      { ...environment, kind: 'LIVE' },
      { ...environment, kind: 'SANDBOX' },
    ]);
    expect((await owner.api('GET', '/environments')).body).toEqual({
      data: body.environments.map((one: object) => ({ ...one, now: expect.any(String) })),
      total: 2,
      page: 1,
      perPage: 20,
    });
  });

  test('ends with a log-out, and its cookie with it; a second log-out changes nothing', async () => {
    const client = newcomer();
    await logIn(client, credentials);
    const kept = client.cookie;
    expect((await client.api('DELETE', '/session')).status).toBe(204);
    expect(client.lastCookie).toMatch(/^operator=; Path=\/; Max-Age=0;/);
    client.cookie = kept;
    expect(shown(await client.api('GET', '/session'))).toEqual([
      401,
      { error: 'Not signed in' },
      'invalid_session',
    ]);
    expect((await client.api('DELETE', '/session')).status).toBe(204);
    expect((await newcomer().api('DELETE', '/session')).status).toBe(204);
  });

  test.each([
    ['/dashboard/api/session', 13],
    ['/v1/customers', 24 * 7],
  ])('opens %s no more after %i hours without use', async (path, hours) => {
    const client = newcomer();
    await logIn(client, credentials);
    const restore = putWallClockForward(hours * 3_600_000);
    try {
      expect(shown(await client.send('GET', path))[2]).toBe('invalid_session');
    } finally {
      restore();
    }
  });

  test.each([
    [{}, { email: ['Required'], password: ['Required'] }],
    [
      { email: 7, password: null },
      { email: ['Must be a string'], password: ['Required'] },
    ],
    ['[]', 'Body must be a JSON object'],
    ['{', 'Malformed JSON'],
  ])('is not opened by %j', async (input, error) => {
    const answer = await newcomer().api('POST', '/session', input);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });

  test('is refused with the same message for every cause, and after too many attempts with 429', async () => {
    const unknown = { email: 'unknown@example.com', password };
    const wrong = [401, { error: 'Wrong email or password' }, 'invalid_credentials'];
    expect(shown(await logIn(newcomer(), unknown))).toEqual(wrong);
    const viewer = await owner.colleague('VIEWER');
    const { email } = (await viewer.api('GET', '/session')).body.operator;
    for (let tries = 0; tries < 10; tries += 1) {
      const answer = await logIn(newcomer(), { email, password: 'not the password' });
      expect(shown(answer)).toEqual(wrong);
      expect([answer.headers.get('www-authenticate'), answer.headers.getSetCookie()]).toEqual([
        null,
        [],
      ]);
    }
    // Only a trusted proxy may report the address of a client.
    const elsewhere = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7' };
    expect((await logIn(newcomer(), { email, password }, elsewhere)).status).toBe(429);
    const late = await logIn(newcomer(), { email, password });
    expect(shown(late)).toEqual([429, { error: 'Too many requests' }, 'too_many_requests']);
    const seconds = Number(late.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThanOrEqual(900);
  });

  test.each([
    ['POST', '/session'],
    ['DELETE', '/session'],
    ['PUT', '/password'],
    ['POST', '/operators'],
    ['PATCH', `/operators/${unknownId}`],
    ['POST', `/operators/${unknownId}/reset-link`],
    ['DELETE', `/sessions/${unknownId}`],
    ['POST', '/invitations/look'],
    ['POST', '/invitations/accept'],
    ['POST', '/password-resets'],
    ['POST', '/email-test'],
    ['POST', '/reset-links/look'],
    ['POST', '/reset-links/use'],
  ])(
    '%s %s is refused from other sites, without an origin, and as anything but JSON',
    async (method, path) => {
      const refused = [403, { error: 'The request was sent from another site' }, 'cross_site'];
      const from = async (headers: Record<string, string | undefined>) =>
        shown(await owner.api(method, path, undefined, headers));
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect(await from({ 'Sec-Fetch-Site': site })).toEqual(refused);
      }
      const untold = { 'Sec-Fetch-Site': undefined };
      expect(await from(untold)).toEqual(refused);
      const subdomain = system.gatewayUrl.replace('127.0.0.1', 'sub.localhost');
      for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', subdomain]) {
        expect(await from({ ...untold, Origin: origin })).toEqual(refused);
      }
      // The Referer of a write proves nothing.
      expect(await from({ ...untold, Referer: `${system.gatewayUrl}/dashboard` })).toEqual(refused);
      for (const type of [
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        const [status] = await from({ 'Content-Type': type ?? '' });
        expect(status).toBe(415);
      }
    },
  );

  test("is valid for requests with the gateway's own origin", async () => {
    const headers = { 'Sec-Fetch-Site': undefined, Origin: system.gatewayUrl };
    expect((await logIn(newcomer(), credentials, headers)).status).toBe(200);
  });

  test('cannot be read by another site', async () => {
    const answer = await owner.api('GET', '/session', undefined, {
      'Sec-Fetch-Site': 'cross-site',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('a gateway without an identity provider offers none, and none admits anyone', async () => {
  expect((await newcomer().api('GET', '/sign-in-ways')).body).toEqual({
    provider: null,
    passwordReset: false,
  });
  for (const step of ['provider', 'callback?code=x&state=y']) {
    const { status, body, headers } = await newcomer().send('GET', `/dashboard/sign-in/${step}`);
    expect([status, headers.getSetCookie()]).toEqual([404, []]);
    expect(body).toContain('No identity provider is configured.');
  }
});

describe('a password', () => {
  test('is changed by an operator who knows it, which ends all other sessions', async () => {
    const one = await owner.colleague('DEVELOPER');
    const { email } = (await one.api('GET', '/session')).body.operator;
    const other = newcomer();
    await other.api('POST', '/session', { email, password });
    const change = (currentPassword: string, newPassword: string) =>
      one.api('PUT', '/password', { currentPassword, newPassword });
    expect((await change('wrong', 'a longer better one')).status).toBe(401);
    expect((await change(password, 'short')).body).toEqual({
      error: { newPassword: ['Must be at least 12 characters'] },
    });
    expect((await one.api('PUT', '/password', {})).body).toEqual({
      error: { currentPassword: ['Required'], newPassword: ['Required'] },
    });
    expect((await change(password, 'a longer better one')).status).toBe(204);
    expect((await one.api('GET', '/session')).status).toBe(200);
    expect((await other.api('GET', '/session')).status).toBe(401);
    const actions = (await entries()).filter(({ actor }) => actor.email === email);
    expect(actions.map(({ action, status }) => [action, status])).toEqual([
      ['PUT /dashboard/api/password', 204],
      ['PUT /dashboard/api/password', 400],
      ['PUT /dashboard/api/password', 400],
      ['PUT /dashboard/api/password', 401],
      ['POST /dashboard/api/session', 200],
      ['POST /dashboard/api/invitations/accept', 200],
    ]);
  });
});

describe('the own account', () => {
  test('is renamed, and gets another address by the password, which ends all other sessions', async () => {
    const one = await owner.colleague('DEVELOPER');
    const { email: former } = (await one.api('GET', '/session')).body.operator;
    const other = newcomer();
    await other.api('POST', '/session', { email: former, password });
    const renamed = await one.api('PATCH', '/operators/me', { name: ' Ada L. ' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Ada L.']);
    expect((await one.api('PATCH', '/operators/me', { name: '' })).status).toBe(400);
    const email = `new-${former as string}`;
    const change = (typed: object) => one.api('PUT', '/operators/me/email', typed);
    expect((await change({})).body).toEqual({
      error: { email: ['Required'], password: ['Required'] },
    });
    expect((await change({ email, password: 'wrong' })).status).toBe(401);
    expect(shown(await change({ email: 'owner@example.com', password }))).toEqual([
      409,
      { error: 'An operator with this email address already exists' },
      'operator_exists',
    ]);
    expect((await other.api('GET', '/session')).status).toBe(200);
    const changed = await change({ email, password });
    expect([changed.status, changed.body.email]).toEqual([200, email]);
    expect((await one.api('GET', '/session')).body.operator).toEqual(changed.body);
    expect((await other.api('GET', '/session')).status).toBe(401);
    expect((await other.api('POST', '/session', { email: former, password })).status).toBe(401);
    expect((await other.api('POST', '/session', { email, password })).status).toBe(200);
    const { id } = changed.body;
    const own = (await entries()).filter(({ actor }) => actor.id === id);
    expect(own.find(({ action, status }) => /email$/.test(action) && status === 200)).toMatchObject(
      { target: { type: 'operator', id }, changes: { email: { from: former, to: email } } },
    );
    expect(JSON.stringify(own)).not.toContain(password);
  });
});

describe('an invitation', () => {
  test('describes its purpose, and is valid once', async () => {
    const email = 'invited@example.com';
    const invited = await owner.api('POST', '/operators', { email, role: 'ADMIN' });
    expect([invited.status, invited.body]).toEqual([
      201,
      {
        link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/invitation#[\w-]{43}$/),
        expiresAt: expect.stringMatching(instant),
        emailed: false,
      },
    ]);
    const token = String(invited.body.link.split('#').at(-1));
    const look = () => newcomer().api('POST', '/invitations/look', { token });
    expect((await look()).body).toEqual({
      organization: { name: 'Local' },
      role: 'ADMIN',
      email,
      providerOnly: false,
    });
    const client = newcomer();
    const path = '/invitations/accept';
    for (const [input, fields] of [
      [{}, ['email', 'name', 'password']],
      [{ email, name: 'A', password: 'short' }, ['password']],
      [{ email, name: '', password }, ['name']],
      [{ email, name: 7, password }, ['name']],
    ] as const) {
      const answer = await client.api('POST', path, { token, ...input });
      expect([answer.status, Object.keys(answer.body.error as object).sort()]).toEqual([
        400,
        fields,
      ]);
    }
    const accepted = await client.api('POST', path, { token, email, name: 'Ada', password });
    expect([accepted.status, accepted.body.operator.role]).toEqual([200, 'ADMIN']);
    expect((await client.api('GET', '/session')).body.operator.email).toBe(email);
    for (const again of [
      await look(),
      await newcomer().api('POST', path, { token, email, name: 'Ada', password }),
    ]) {
      expect([again.status, again.headers.get('error-code')]).toEqual([
        404,
        'invitation_not_found',
      ]);
    }
  });

  test.each([
    [{}, ['email', 'role']],
    [{ email: 'a@b.co', role: 'KING' }, ['role']],
    [{ email: 'no address', role: 'VIEWER' }, ['email']],
  ])('cannot be created with %j', async (input, fields) => {
    const { status, body } = await owner.api('POST', '/operators', input);
    expect([status, Object.keys(body.error as object).sort()]).toEqual([400, fields]);
  });
});

describe('a retry with the same idempotency key', () => {
  const created = async (path: string, body: object, key: string) => {
    const answer = await owner.api('POST', path, body, { 'Idempotency-Key': key });
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };

  test('returns the same invitation, and another body or key another one', async () => {
    const input = { email: 'retried@example.com', role: 'VIEWER' };
    const { link, expiresAt } = await created('/operators', input, 'first');
    expect(await created('/operators', input, 'first')).toMatchObject({ link, expiresAt });
    const others = [
      await created('/operators', { ...input, role: 'ADMIN' }, 'first'),
      await created('/operators', input, 'second'),
    ];
    expect(new Set([link, ...others.map((one) => one.link)]).size).toBe(3);
  });

  test('returns the same reset link', async () => {
    const path = `/operators/${await idOf(await owner.colleague('VIEWER'))}/reset-link`;
    const { url } = await created(path, {}, 'first');
    expect((await created(path, {}, 'first')).url).toBe(url);
    expect((await created(path, {}, 'second')).url).not.toBe(url);
  });
});

describe('the rights of each role over operators', () => {
  const roles: RoleName[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'];
  const reads = ['/session', '/operators', '/environments'];

  test.each(roles)('%s', async (role) => {
    const client = await owner.colleague(role);
    const leads = role === 'OWNER' || role === 'ADMIN';
    for (const path of reads) expect((await client.api('GET', path)).status).toBe(200);
    expect((await client.api('GET', '/audit')).status).toBe(leads ? 200 : 403);
    for (const invited of roles) {
      const isAbove = roles.indexOf(invited) < roles.indexOf(role);
      const email = `by-${role}-${invited}@example.com`;
      const { status } = await client.api('POST', '/operators', { email, role: invited });
      expect([invited, status]).toEqual([invited, leads && !isAbove ? 201 : 403]);
    }
    const viewer = await owner.colleague('VIEWER');
    const path = `/operators/${await idOf(viewer)}`;
    const raised = await client.api('PATCH', path, { role: 'DEVELOPER' });
    expect(raised.status).toBe(leads ? 200 : 403);
    if (leads) expect(raised.body.role).toBe('DEVELOPER');
    const owners = `/operators/${await idOf(owner)}`;
    const demoted = await client.api('PATCH', owners, {
      role: role === 'OWNER' ? 'OWNER' : 'VIEWER',
    });
    expect(demoted.status).toBe(role === 'OWNER' ? 200 : 403);
    const shut = await client.api('PATCH', path, { active: false });
    expect(shut.status).toBe(leads ? 200 : 403);
    expect((await viewer.api('GET', '/session')).status).toBe(leads ? 401 : 200);
  });

  test('the last owner stays, and an unknown operator cannot be changed', async () => {
    const path = (id: string) => `/operators/${id}`;
    const { body } = await owner.api('GET', '/operators');
    const others = body.data.filter(
      ({ role, email }: any) => role === 'OWNER' && email !== 'owner@example.com',
    );
    for (const { id } of others) await owner.api('PATCH', path(id), { active: false });
    const last = await owner.api('PATCH', path(await idOf(owner)), { role: 'VIEWER' });
    expect(last.status).toBe(409);
    expect((await owner.api('PATCH', path(unknownId), { active: false })).status).toBe(404);
    const wrong = await owner.api('PATCH', path(unknownId), { role: 7, active: 'yes' });
    expect(Object.keys(wrong.body.error as object).sort()).toEqual(['active', 'role']);
  });
});

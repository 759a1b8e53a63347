import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { ownerLink } from '@billing/local/owner-link';
import { OperatorClient, password } from './operator-client';
import { startTestSystem, type TestSystem } from './test-system';
import { Visitor, type VisitorPage } from './visitor';

const startMs = 120_000;
const script = '<script>alert(1)</script>';

let system: TestSystem;
let owner: Visitor;
let front: VisitorPage;

beforeAll(async () => {
  system = await startTestSystem();
}, startMs);

afterAll(async () => {
  await system.stop();
});

const link = () => ownerLink(system.addresses.identity, system.gatewayUrl);
const invitations: string[] = [];
/** What no log may hold. */
const secrets = [password, script, 'ada@example.com'];
const apiOf = (visitor: Visitor) => {
  const client = new OperatorClient(system.gatewayUrl);
  client.cookie = `operator=${visitor.cookies.get('operator') ?? ''}`;
  return client;
};
const textOf = (page: VisitorPage, selector: string) =>
  page.root.querySelector(selector)?.textContent ?? '';

/** Somebody whom the owner has invited, and who came by the link's page. */
async function enter(role: string, name = role): Promise<Visitor> {
  const email = `${role.toLowerCase()}@example.com`;
  const { body } = await apiOf(owner).api('POST', '/operators', { email, role });
  const visitor = new Visitor(system.gatewayUrl);
  await visitor.submit(await visitor.open(body.link as string), { name, email, password });
  return visitor;
}

describe('the first owner', () => {
  test('comes by the link of the start, chooses a password, makes a key and calls the API with it', async () => {
    const address = (await link()) ?? '';
    invitations.push((await link()) ?? '');
    owner = new Visitor(system.gatewayUrl);
    const door = await owner.open(address);
    expect(door.text).toContain('as owner');
    const short = await owner.submit(door, {
      name: script,
      email: 'ada@example.com',
      password: 'x',
    });
    expect([short.status, textOf(short, '#password-error')]).toEqual([
      400,
      'Must be at least 12 characters',
    ]);
    expect(short.bytes.toString()).not.toContain(script);
    expect(short.root.querySelector('#password')?.getAttribute('value')).toBe('');
    front = await owner.submit(short, { password });
    expect([front.status, new URL(front.url).pathname]).toEqual([200, '/dashboard']);
    expect(front.text).toMatch(/ada@example\.com.*owner.*Live.*Sandbox/);
    expect(front.bytes.toString()).not.toContain(script);
    expect(front.text).toContain(script);

    const rows = front.root.querySelectorAll('.rows a');
    const keys = await owner.open(rows[1]?.getAttribute('href') ?? '');
    const made = await owner.submit(keys, { name: 'Backend', expiresAt: '2036-01-01' }, 'Make key');
    expect(made.status).toBe(201);
    const key = textOf(made, '#key');
    secrets.push(key);
    expect(key).toMatch(/^billing_test_/);
    const [, url = '', authorization = ''] =
      /^curl -s (\S+) -H 'Authorization: ([^']+)'$/.exec(textOf(made, '#curl')) ?? [];
    const answer = await fetch(url, { headers: { Authorization: authorization } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);

    const again = await owner.submit(
      keys,
      { name: 'Backend', expiresAt: '2036-01-01' },
      'Make key',
    );
    expect([again.status, again.text]).toEqual([409, expect.not.stringContaining('billing_test_')]);
    const listed = await owner.open(keys.url);
    expect(listed.text).toMatch(/Backend.*expires January 1, 2036/);
    expect(listed.text).not.toContain(key);
    const revoked = await owner.submit(listed, {}, 'Revoke Backend');
    expect(revoked.text).toContain('revoked');
  });

  test('is the last to come by such a link: others are over, and no start makes more', async () => {
    expect(await link()).toBeUndefined();
    const late = await new Visitor(system.gatewayUrl).open(invitations[0] ?? '');
    expect([late.status, late.headers.get('error-code')]).toEqual([404, 'invitation_not_found']);
  });

  test('finds all that they changed in the audit log', async () => {
    const { body } = await apiOf(owner).api('GET', '/audit');
    expect(body.data.map(({ action, status }: any) => [action, status])).toEqual([
      ['POST /dashboard/api-keys/:id/revoke', 303],
      ['POST /dashboard/api-keys', 409],
      ['POST /dashboard/api-keys', 201],
    ]);
    expect(body.data[2].environmentId).toBe(body.data[0].environmentId);
  });
});

describe('signing in', () => {
  test('asks for the password, and gives another cookie each time', async () => {
    const visitor = new Visitor(system.gatewayUrl);
    visitor.cookies.set('operator', 'planted');
    const asked = await visitor.open('/dashboard');
    expect(new URL(asked.url).pathname).toBe('/dashboard/sign-in');
    const wrong = await visitor.submit(asked, { email: 'ada@example.com', password: 'wrong' });
    expect([wrong.status, wrong.text]).toEqual([
      401,
      expect.stringContaining('Wrong e-mail or password'),
    ]);
    expect(wrong.root.querySelector('#email')?.getAttribute('value')).toBe('ada@example.com');
    const page = await visitor.submit(wrong, { password });
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('ada@example.com')]);
    expect(visitor.lastCookies).toEqual([expect.stringMatching(/HttpOnly; SameSite=Strict$/)]);
    expect(['planted', owner.cookies.get('operator')]).not.toContain(
      visitor.cookies.get('operator'),
    );

    const kept = new Map(visitor.cookies);
    const fields = { form_token: tokenOf(page) };
    expect((await visitor.post('/dashboard/sign-out', fields)).url).toContain('/sign-in');
    expect(visitor.cookies.has('operator')).toBe(false);
    for (const [name, value] of kept) visitor.cookies.set(name, value);
    expect((await visitor.open('/dashboard')).url).toContain('/sign-in');
  });

  test('is told to wait after too many tries', async () => {
    const visitor = new Visitor(system.gatewayUrl);
    const form = { email: 'somebody@example.com', password: 'wrong' };
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await visitor.post('/dashboard/sign-in', form)).status).toBe(401);
    }
    const late = await visitor.post('/dashboard/sign-in', form);
    expect([late.status, late.text]).toEqual([429, expect.stringContaining('Please wait')]);
  });
});

const tokenOf = (page: VisitorPage) =>
  page.root.querySelector('input[name=form_token]')?.getAttribute('value') ?? '';

describe('forms', () => {
  test('count from our own pages alone, and with their token', async () => {
    const page = await owner.open('/dashboard/api-keys');
    const fields = { name: 'Planted', form_token: tokenOf(page) };
    const post = (more: object, headers = {}) =>
      owner.post('/dashboard/api-keys', { ...fields, ...more }, headers);
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ]) {
      expect([headers, (await post({}, headers)).status]).toEqual([headers, 403]);
    }
    expect((await post({ form_token: '' })).status).toBe(403);
    expect((await post({ form_token: 'x'.repeat(43) })).status).toBe(403);
    expect((await owner.open('/dashboard/api-keys')).text).not.toContain('Planted');
  });

  test('tell what is wrong, and keep what was typed', async () => {
    const page = await owner.open('/dashboard/api-keys');
    const typed = { name: script, scopes: 'everything', expiresAt: '' };
    const wrong = await owner.submit(page, typed, 'Make key');
    expect([wrong.status, textOf(wrong, '#scopes-error')]).toEqual([400, '0: Invalid scope']);
    expect(wrong.root.querySelector('#name')?.getAttribute('value')).toBe(script);
    expect(wrong.bytes.toString()).not.toContain(script);
    const day = await owner.submit(wrong, { name: 'x', scopes: '', expiresAt: 'soon' }, 'Make key');
    expect(textOf(day, '#expiresAt-error')).toContain('Must be a day');
  });
});

describe('what each role may do with keys', () => {
  test.each([
    ['ADMIN', true, 'all scopes'],
    ['DEVELOPER', true, 'api-keys:read'],
    ['VIEWER', false, ''],
  ])('%s: makes some (%s)', async (role, makesSome, scopes) => {
    const visitor = await enter(role, script);
    const page = await visitor.open('/dashboard/api-keys');
    expect(page.bytes.toString()).not.toContain(script);
    expect(page.text.includes('Make key')).toBe(makesSome);
    if (makesSome) {
      const made = await visitor.submit(page, { name: `of ${role}` }, 'Make key');
      expect(textOf(made, '#key')).toMatch(/^billing_live_/);
      const listed = await visitor.open('/dashboard/api-keys');
      expect(listed.text).toContain(`of ${role}`);
      expect(listed.text).toContain(scopes);
      return;
    }
    const refused = await visitor.post('/dashboard/api-keys', {
      form_token: tokenOf(page),
      name: 'Forbidden',
    });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('Insufficient permissions'),
    ]);
  });

  test('nobody sees another organisation’s environment', async () => {
    const address = '/dashboard/api-keys?environment=01900000-0000-7000-8000-000000000000';
    expect((await owner.open(address)).status).toBe(404);
  });
});

test('pages run no script, are kept and framed by nobody', async () => {
  for (const path of ['/dashboard', '/dashboard/sign-in', '/dashboard/api-keys']) {
    const { headers } = await owner.open(path);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual([
      'no-store',
      'DENY',
    ]);
  }
});

test('no log of any service holds a password, a token, a key or an address', async () => {
  const tokens = invitations.map((address) => address.split('/').at(-1) ?? '');
  const all = [...secrets, ...tokens, owner.cookies.get('operator') ?? ''];
  const headers = { 'X-Request-Id': 'the-last-request' };
  await (await fetch(`${system.gatewayUrl}/healthz`, { headers })).arrayBuffer();
  const read = async (file: string) => readFile(join(system.logDir, file), 'utf8');
  await eventually(
    async () => {
      expect(await read('gateway.log')).toContain('the-last-request');
    },
    { timeoutMs: 60_000 },
  );
  expect(all).not.toContain('');
  for (const file of await readdir(system.logDir)) {
    const text = await read(file);
    expect([file, all.filter((secret) => text.includes(secret))]).toEqual([file, []]);
  }
});

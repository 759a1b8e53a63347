import { eventually } from '@billing/chassis/testing';
import { desktop, expectAccessible, takeScreenshot, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { addressOn, type ProviderBehavior, ProviderServer } from './identity-provider';
import { OperatorClient, password } from '../support/operator-client';
import { logsOf, sendLastRequest } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { Visitor, type VisitorPage } from '../support/visitor';
import { putWallClockForward } from '../support/wall-clock';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const startMs = 600_000;
const startPath = '/dashboard/sign-in/provider';
const callbackPath = '/dashboard/sign-in/callback';

let provider: ProviderServer;
let system: OwnTestSystem;
let owner: OperatorClient;
const sessions: string[] = [];

beforeAll(async () => {
  provider = await ProviderServer.start();
  system = await startTestSystem({ gateway: provider.variables });
  owner = await OperatorClient.owner(system);
}, startMs);

afterAll(async () => {
  await system.stop();
  await provider.stop();
});

beforeEach(() => {
  provider.behavior = {};
});

const newcomer = () => new Visitor(system.gatewayUrl);
const emailOf = async (client: OperatorClient) =>
  (await client.api('GET', '/session')).body.operator.email as string;
const clientOf = (visitor: Visitor) => {
  const client = new OperatorClient(system.gatewayUrl);
  const token = visitor.cookies.get('operator');
  if (token !== undefined) sessions.push(token);
  client.cookie = token === undefined ? undefined : `operator=${token}`;
  return client;
};
const statusOf = async (visitor: Visitor) =>
  (await clientOf(visitor).api('GET', '/session')).status;

/** Signs in as a user for whom the provider deviates as given. */
async function signInByProvider(
  behavior: ProviderBehavior,
  visitor = newcomer(),
): Promise<VisitorPage> {
  provider.behavior = behavior;
  return visitor.open(startPath);
}

/** Visits the provider and returns the address to which it would redirect the browser. */
async function returnAddressOf(visitor: Visitor, behavior: ProviderBehavior = {}): Promise<string> {
  const page = await signInByProvider({ ...behavior, showsLinkOnly: true }, visitor);
  provider.behavior = behavior;
  return addressOn(page.bytes.toString());
}

function expectRefused(page: VisitorPage, status: number, code: string): void {
  expect([page.status, page.headers.get('error-code')]).toEqual([status, code]);
  const requestId = page.headers.get('x-request-id') ?? 'none';
  expect(page.text).toContain(requestId);
  expect(page.root.querySelector('[role=alert]')?.textContent).toMatch(/\w{3}/);
  expect(page.text).toContain('Sign in with Example <ID>');
  expect(page.bytes.toString()).not.toContain('<ID>');
  expect(page.headers.getSetCookie().filter((set) => set.startsWith('operator='))).toEqual([]);
}

describe('signing in by the provider', () => {
  test('is offered by its name', async () => {
    const { body } = await owner.api('GET', '/sign-in-ways');
    const provider = { label: 'Example <ID>', path: startPath };
    expect(body).toEqual({ provider, passwordReset: false });
    const anyone = await new OperatorClient(system.gatewayUrl).api('GET', '/sign-in-ways');
    expect(anyone.status).toBe(200);
  });

  test('opens a session of its own, by a step that the browser makes itself', async () => {
    const visitor = newcomer();
    visitor.cookies.set('operator', 'planted');
    const page = await visitor.open(`${startPath}?returnTo=/dashboard/customers%3Fpage=2`);
    expect([page.status, page.headers.get('refresh')]).toEqual([
      200,
      '0; url=/dashboard/customers?page=2',
    ]);
    expect(visitor.lastCookies).toEqual([
      expect.stringMatching(/^sign-in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^operator=[\w-]{43}; Path=\/; Max-Age=60\d{4}; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await emailOf(clientOf(visitor))).toBe('owner@example.com');
    const again = newcomer();
    await again.open(startPath);
    expect(again.cookies.get('operator')).not.toBe(visitor.cookies.get('operator'));
    expect(await statusOf(again)).toBe(200);
  });

  test('is recorded in the audit log without credentials', async () => {
    // An entry is completed after the answer.
    await eventually(async () => {
      const { body } = await owner.api('GET', '/audit?perPage=1');
      expect(body.data).toEqual([
        expect.objectContaining({
          action: `GET ${callbackPath}`,
          path: callbackPath,
          actor: expect.objectContaining({ email: 'owner@example.com' }),
          environmentId: null,
          status: 200,
        }),
      ]);
    });
  });

  test('reads the email address at the userinfo endpoint where the ID token lacks it', async () => {
    const visitor = newcomer();
    await signInByProvider({ hasEmailInUserinfoOnly: true }, visitor);
    expect(await emailOf(clientOf(visitor))).toBe('owner@example.com');
  });

  test('is neither counted nor throttled as a log-in by password', async () => {
    const viewer = await owner.colleague('VIEWER');
    const email = await emailOf(viewer);
    const client = new OperatorClient(system.gatewayUrl);
    const wrong = { email, password: 'not the password' };
    for (let tries = 0; tries < 10; tries += 1) await client.api('POST', '/session', wrong);
    expect((await client.api('POST', '/session', { email, password })).status).toBe(429);
    const visitor = newcomer();
    expect((await signInByProvider({ email: email.toUpperCase() }, visitor)).status).toBe(200);
    expect(await emailOf(clientOf(visitor))).toBe(email);
    expect((await client.api('POST', '/session', { email, password })).status).toBe(429);
  });
});

testInChromium(
  'in a browser one comes from the provider’s own page to where one wanted to go (needs Chromium)',
  async () => {
    const browser = await launchChromium(program ?? '');
    provider.behavior = { showsLinkOnly: true };
    await visit(browser, desktop, async (page, context) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
      await page.getByRole('link', { name: 'Sign in with Example <ID>' }).click();
      await page.waitForURL(`${provider.issuer}/**`);
      expect((await context.cookies(system.gatewayUrl)).map(({ sameSite }) => sameSite)).toEqual([
        'Lax',
      ]);
      await page.getByRole('link', { name: 'Go back' }).click();
      await page.waitForURL('**/dashboard/live/account');
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      const [cookie, ...others] = await context.cookies(system.gatewayUrl);
      expect([cookie, others]).toMatchObject([{ name: 'operator', sameSite: 'Strict' }, []]);
      sessions.push(cookie?.value ?? '');
      await page.goto(`${system.gatewayUrl}${callbackPath}`);
      await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'dashboard not signed in by the provider');
    });
    await browser.close();
  },
  startMs,
);

describe('a sign-in is refused', () => {
  const past = Math.floor(Date.parse('2026-01-01T00:00:00Z') / 1_000);

  test.each<[string, number, string, ProviderBehavior]>([
    ['for an unverified address', 403, 'email_not_verified', { claims: { email_verified: false } }],
    [
      'for an address verified by a string',
      403,
      'email_not_verified',
      { claims: { email_verified: 'true' } },
    ],
    [
      'for an address without verification',
      403,
      'email_not_verified',
      { claims: { email_verified: null } },
    ],
    ['without an address', 403, 'email_not_verified', { claims: { email: 7 } }],
    ['for a user who was never invited', 403, 'not_an_operator', { email: 'stranger@example.com' }],
    ['for a malformed address', 403, 'not_an_operator', { email: 'stranger' }],
    [
      'for an address that belongs to another user now',
      403,
      'not_an_operator',
      { subject: 'another' },
    ],
    [
      'with an ID token of another sign-in',
      401,
      'sign_in_refused',
      { claims: { nonce: 'another' } },
    ],
    ['with an ID token without a nonce', 401, 'sign_in_refused', { claims: { nonce: undefined } }],
    [
      'with an expired ID token',
      401,
      'sign_in_refused',
      { claims: { iat: past, exp: past + 300 } },
    ],
    ['with an ID token for another client', 401, 'sign_in_refused', { claims: { aud: 'another' } }],
    [
      'with an ID token of another issuer',
      401,
      'sign_in_refused',
      { claims: { iss: 'https://evil.example' } },
    ],
    ['with a forged ID token', 401, 'sign_in_refused', { isForged: true }],
    ['with another state', 401, 'sign_in_refused', { state: 'x'.repeat(43) }],
    ['for a user who denies it', 401, 'sign_in_refused', { isDenied: true }],
    ['while the provider fails', 503, 'provider_unavailable', { failing: ['/token'] }],
    [
      'while the provider returns no address',
      503,
      'provider_unavailable',
      { hasEmailInUserinfoOnly: true, failing: ['/userinfo'] },
    ],
  ])('%s', async (_case, status, code, behavior) => {
    await signInByProvider({});
    const visitor = newcomer();
    expectRefused(await signInByProvider(behavior, visitor), status, code);
    expect([...visitor.cookies]).toEqual([]);
  });

  test('for a removed operator, until a new invitation', async () => {
    const viewer = await owner.colleague('VIEWER');
    const { id, email } = (await viewer.api('GET', '/session')).body.operator;
    const visitor = newcomer();
    await signInByProvider({ email }, visitor);
    await owner.api('PATCH', `/operators/${String(id)}`, { active: false });
    expect(await statusOf(visitor)).toBe(401);
    expectRefused(await signInByProvider({ email }), 403, 'not_an_operator');
    await owner.api('PATCH', `/operators/${String(id)}`, { active: true });
    expect((await signInByProvider({ email, subject: 'another account' })).status).toBe(200);
  });

  test('with a return address that was used already, in any browser', async () => {
    const visitor = newcomer();
    const address = await returnAddressOf(visitor);
    const begun = visitor.cookies.get('sign-in') ?? '';
    expect((await visitor.open(address)).status).toBe(200);
    expectRefused(await visitor.open(address), 400, 'sign_in_not_begun');
    // Even with the cookie, which is gone from the browser: the provider accepts its code once.
    const thief = newcomer();
    thief.cookies.set('sign-in', begun);
    expectRefused(await thief.open(address), 401, 'sign_in_refused');
    expect(thief.cookies.has('operator')).toBe(false);
  });

  test('in a browser that did not begin it: neither without a cookie, nor with its own', async () => {
    const address = await returnAddressOf(newcomer());
    expectRefused(await newcomer().open(address), 400, 'sign_in_not_begun');
    const other = newcomer();
    await returnAddressOf(other);
    expectRefused(await other.open(address), 401, 'sign_in_refused');
    for (const cookie of ['x', 'A'.repeat(200), `${'A'.repeat(80)}=`]) {
      const odd = newcomer();
      odd.cookies.set('sign-in', cookie);
      expectRefused(await odd.open(address), 400, 'sign_in_not_begun');
    }
  });

  test('after more than ten minutes', async () => {
    const visitor = newcomer();
    const address = await returnAddressOf(visitor);
    const restore = putWallClockForward(11 * 60_000);
    try {
      expectRefused(await visitor.open(address), 400, 'sign_in_not_begun');
    } finally {
      restore();
    }
  });

  test.each([callbackPath, `${callbackPath}?code=x`, `${callbackPath}?state=x&code=y&code=z`])(
    'for a browser that opens %s directly',
    async (path) => {
      expectRefused(await newcomer().open(path), 400, 'sign_in_not_begun');
      const visitor = newcomer();
      await returnAddressOf(visitor);
      expectRefused(await visitor.open(path), 401, 'sign_in_refused');
    },
  );
});

describe('the destination after the sign-in', () => {
  test.each([
    'https://evil.example/dashboard',
    '//evil.example/dashboard',
    '/\\evil.example/dashboard',
    '/dashboard/../portal',
    '/dashboard/api/session',
    'javascript:alert(1)',
    '/dashboard/a&returnTo=https://evil.example',
  ])('is on the dashboard, for every requested one: %s', async (wanted) => {
    const page = await newcomer().open(`${startPath}?returnTo=${encodeURIComponent(wanted)}`);
    expect(page.headers.get('refresh')).toMatch(/^0; url=\/dashboard(\/a&returnTo=\S+)?$/);
    expect(page.root.querySelector('main a')?.getAttribute('href')).toMatch(/^\/dashboard/);
  });

  test('the provider redirects only to the registered address, which no request changes', async () => {
    const visitor = newcomer();
    const address = await returnAddressOf(visitor);
    expect(address.startsWith(`${system.gatewayUrl}${callbackPath}?`)).toBe(true);
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    const sent = await fetch(`${system.gatewayUrl}${startPath}`, { headers, redirect: 'manual' });
    const target = new URL(sent.headers.get('location') ?? '');
    expect(target.origin).toBe(provider.issuer);
    expect(target.searchParams.get('redirect_uri')).toBe(`${system.gatewayUrl}${callbackPath}`);
    expect(sent.headers.get('cache-control')).toBe('no-store');
  });
});

test('no log of any service contains a secret, a code, a token or an address', async () => {
  await sendLastRequest(system);
  const logs = await logsOf(system);
  expect(logs.get('gateway')).toContain('provider sign-in refused');
  const secrets = [...provider.secrets, ...sessions, 'stranger@example.com', 'owner@example.com'];
  expect(secrets.length).toBeGreaterThan(40);
  for (const [service, text] of logs) {
    expect([service, secrets.filter((secret) => text.includes(secret))]).toEqual([service, []]);
  }
});

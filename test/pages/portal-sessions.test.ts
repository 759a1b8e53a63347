import { eventually } from '@billing/chassis/testing';
import { unknownId } from '../support/patterns';
import { PortalScene } from '../support/portal-scene';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { readForm, Visitor } from '../support/visitor';
import { putWallClockForward } from '../support/wall-clock';

const startMs = 600_000;
const hourMs = 3_600_000;

let system: OwnTestSystem;
let scene: PortalScene;

beforeAll(async () => {
  system = await startTestSystem({ gateway: { TRUSTED_PROXIES: 'loopback' } });
  scene = await PortalScene.begin(system);
}, startMs);

afterAll(async () => {
  await system.stop();
});

describe('the sign-in link', () => {
  test('opens a session only by its button, once', async () => {
    const customerId = await scene.customer();
    const { url } = await scene.create('/portal/sessions', { customerId });
    for (let looks = 0; looks < 3; looks += 1) {
      expect((await new Visitor(system.gatewayUrl).open(url)).status).toBe(200);
    }
    const visitor = new Visitor(system.gatewayUrl);
    const page = await visitor.submit(await visitor.open(url));
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/portal']);
    const stranger = new Visitor(system.gatewayUrl);
    const again = await stranger.open(url);
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('was already used')]);
    const pressed = await stranger.post(url, {});
    expect([pressed.status, stranger.cookies.has('portal')]).toEqual([410, false]);
  });

  test('admits one of ten concurrent visitors, and gives one visitor who presses ten times one session', async () => {
    const customerId = await scene.customer();
    const { url } = await scene.create('/portal/sessions', { customerId });
    const visitors = Array.from({ length: 10 }, () => new Visitor(system.gatewayUrl));
    await Promise.all(visitors.map((visitor) => visitor.post(url, {})));
    expect(visitors.filter(({ cookies }) => cookies.has('portal'))).toHaveLength(1);

    const other = await scene.create('/portal/sessions', { customerId });
    const hasty = new Visitor(system.gatewayUrl);
    const link = await hasty.open(other.url);
    const seen = new Set<string | undefined>();
    const presses = Array.from({ length: 10 }, () => new Visitor(system.gatewayUrl));
    await Promise.all(
      presses.map(async (press) => {
        for (const [name, value] of hasty.cookies) press.cookies.set(name, value);
        expect((await press.submit(link)).status).toBe(200);
        seen.add(press.cookies.get('portal'));
      }),
    );
    expect([seen.size, seen.has(undefined)]).toEqual([1, false]);
  });

  test('sets a cookie that no script can read, and another one each time', async () => {
    const customerId = await scene.customer();
    const first = await scene.enter(customerId);
    expect(first.visitor.lastCookies).toEqual([
      expect.stringMatching(
        /^portal=[\w-]{43}; Path=\/; Max-Age=3(600|5\d\d); HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const { url } = await scene.create('/portal/sessions', { customerId });
    const fixed = new Visitor(system.gatewayUrl);
    const planted = first.visitor.cookies.get('portal') ?? '';
    fixed.cookies.set('portal', planted);
    await fixed.submit(await fixed.open(url));
    expect(fixed.cookies.get('portal')).not.toBe(planted);
  });

  test('is cached by no browser and framed by no page', async () => {
    const customerId = await scene.customer();
    const { url } = await scene.create('/portal/sessions', { customerId });
    const visitor = new Visitor(system.gatewayUrl);
    const link = await visitor.open(url);
    for (const { headers } of [link, await visitor.submit(link)]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      );
    }
  });

  test.each(['nonsense', 'a'.repeat(43)])('is not found for %s', async (token) => {
    const visitor = new Visitor(system.gatewayUrl);
    const page = await visitor.open(`/portal/${token}`);
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('does not exist')]);
    expect((await visitor.post(`/portal/${token}`, {})).status).toBe(404);
  });

  test('is not opened by another site', async () => {
    const { url } = await scene.create('/portal/sessions', { customerId: await scene.customer() });
    const visitor = new Visitor(system.gatewayUrl);
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ] as Record<string, string>[]) {
      expect((await visitor.post(url, {}, headers)).status).toBe(403);
    }
    expect((await visitor.post(url, {})).status).toBe(200);
  });
});

describe('a portal session', () => {
  const paths = ['/portal', '/portal/usage', '/portal/invoices', '/portal/payment-methods'];

  test('is over without its cookie, and unknown with an invalid one', async () => {
    for (const path of paths) {
      const page = await new Visitor(system.gatewayUrl).open(path);
      expect([page.status, page.text]).toEqual([
        410,
        expect.stringContaining('session has expired'),
      ]);
      const stranger = new Visitor(system.gatewayUrl);
      stranger.cookies.set('portal', 'a'.repeat(43));
      expect((await stranger.open(path)).status).toBe(404);
    }
  });

  test('needs the exact cookie of its site: one for TLS is ignored on loopback', async () => {
    const { visitor } = await scene.enter(await scene.customer());
    const secret = visitor.cookies.get('portal') ?? '';
    const other = new Visitor(system.gatewayUrl);
    other.cookies.set('__Host-portal', secret);
    expect((await other.open('/portal')).status).toBe(410);
  });

  test('ends after an hour', async () => {
    const { visitor } = await scene.enter(await scene.customer());
    const restore = putWallClockForward(3_600_000);
    try {
      expect((await visitor.open('/portal')).status).toBe(410);
    } finally {
      restore();
    }
  });

  test('ends on sign-out', async () => {
    const { visitor, page } = await scene.enter(
      await scene.customer(),
      'https://shop.example/account',
    );
    const secret = visitor.cookies.get('portal') ?? '';
    const token = page.root.querySelector('header input[name=form_token]')?.attributes.value ?? '';
    const left = await visitor.post('/portal/leave', { form_token: token });
    expect(left.text).toContain('You are signed out');
    expect(left.root.querySelector('a.button')?.attributes.href).toBe(
      'https://shop.example/account',
    );
    expect(visitor.cookies.has('portal')).toBe(false);
    visitor.cookies.set('portal', secret);
    expect((await visitor.open('/portal')).status).toBe(410);
  });

  test('accepts only forms of its own pages', async () => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId);
    const { visitor } = await scene.enter(customerId);
    const cancel = `/portal/subscriptions/${String(id)}/cancel`;
    const { fields } = readForm(await visitor.open(cancel));
    const other = await scene.enter(await scene.customer());
    const theirs = other.visitor.cookies.get('portal') ?? '';
    const crossed = new Visitor(system.gatewayUrl);
    crossed.cookies.set('portal', theirs);
    for (const attempt of [
      visitor.post(cancel, {}),
      visitor.post(cancel, { form_token: 'a'.repeat(43) }),
      visitor.post(cancel, fields, { Origin: 'https://evil.example' }),
      visitor.post(cancel, fields, { 'Sec-Fetch-Site': 'same-site' }),
      crossed.post(cancel, fields),
    ]) {
      expect((await attempt).status).toBe(403);
    }
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      cancelAtPeriodEnd: false,
    });
    const ours = { Origin: system.gatewayUrl, 'Sec-Fetch-Site': 'same-origin' };
    expect((await visitor.post(cancel, fields, ours)).status).toBe(200);
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      cancelAtPeriodEnd: true,
    });
  });

  test('sees no resource of another customer', async () => {
    const owner = await scene.customer();
    const { id, latestInvoiceId } = await scene.subscribe(owner, { cardNumber: null });
    const { visitor, page } = await scene.enter(await scene.customer());
    expect(page.text).toContain('No subscriptions');
    const methods = await visitor.open('/portal/payment-methods');
    const { fields } = readForm(methods);
    for (const path of [
      `/portal/invoices/${String(latestInvoiceId)}`,
      `/portal/invoices/${String(latestInvoiceId)}/pdf`,
      `/portal/subscriptions/${String(id)}/cancel`,
      `/portal/invoices/${unknownId}`,
      '/portal/invoices/nonsense',
    ]) {
      expect([path, (await visitor.open(path)).status]).toEqual([path, 404]);
    }
    for (const path of [
      `/portal/invoices/${String(latestInvoiceId)}`,
      `/portal/invoices/${String(latestInvoiceId)}/method`,
      `/portal/subscriptions/${String(id)}/cancel`,
      `/portal/subscriptions/${String(id)}/keep`,
      `/portal/payment-methods/${unknownId}/remove`,
      `/portal/payment-methods/${unknownId}/default`,
    ]) {
      expect([path, (await visitor.post(path, fields)).status]).toEqual([path, 404]);
    }
  });
});

describe('the sign-in by email', () => {
  const signInPath = async () => {
    const { portalSignInUrl } = await scene.read('/branding');
    return new URL(String(portalSignInUrl)).pathname;
  };
  const linksTo = async (email: string): Promise<string[]> => {
    const { data } = await scene.read(`/sandboxes/inbox?kind=PORTAL_LINK&to=${email}`);
    return data.map(
      ({ content }: { content: { text: string } }) =>
        /http\S+\/portal\/\S+/.exec(content.text)?.[0],
    );
  };

  test('mails a link to a known address in any case, with the same answer as for an unknown one', async () => {
    const email = 'Zoe.Known@example.com';
    await scene.customer({ email });
    const path = await signInPath();
    const visitor = new Visitor(system.gatewayUrl);
    const form = await visitor.open(path);
    expect(form.text).toContain('Send the link');
    const known = await visitor.post(path, { email: ' zoe.known@EXAMPLE.com ' });
    const unknown = await visitor.post(path, { email: 'unknown@example.com' });
    expect([known.status, known.text]).toEqual([200, unknown.text]);
    const ofRequest = new Set(['date', 'trace-id', 'x-request-id']);
    const headersOf = ({ headers }: typeof known) =>
      [...headers].filter(([name]) => !ofRequest.has(name));
    expect(headersOf(known)).toEqual(headersOf(unknown));
    expect(known.root.outerHTML).toBe(unknown.root.outerHTML);
    expect(known.text).toContain('If we know this address, we have sent a link to it.');
    const [link] = await eventually(async () => {
      const links = await linksTo(email);
      expect(links).toHaveLength(1);
      return links;
    });
    // A scanner opens the link and uses nothing up.
    expect((await new Visitor(system.gatewayUrl).open(String(link))).status).toBe(200);
    const page = await visitor.submit(await visitor.open(String(link)));
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/portal']);
    expect(await linksTo('unknown@example.com')).toEqual([]);
  });

  test('mails each of the newest five customers of an address a link of its own', async () => {
    const email = 'shared@example.com';
    const customerIds: string[] = [];
    for (let count = 1; count <= 6; count += 1) customerIds.push(await scene.customer({ email }));
    await new Visitor(system.gatewayUrl).post(await signInPath(), { email });
    const links = await eventually(async () => {
      const found = await linksTo(email);
      expect(found).toHaveLength(5);
      return found;
    });
    expect(new Set(links).size).toBe(5);
    const { data } = await scene.read(`/sandboxes/inbox?kind=PORTAL_LINK&to=${email}`);
    const mailed = data.map(({ customerId }: { customerId: string }) => customerId);
    expect(new Set(mailed)).toEqual(new Set(customerIds.slice(1)));
  });

  test('mails three times an hour, and does not know the addresses of another environment', async () => {
    // An hour that begins now does not end in between.
    const restore = putWallClockForward(hourMs - (Date.now() % hourMs));
    try {
      await expectThreeMails();
    } finally {
      restore();
    }
  });

  async function expectThreeMails(): Promise<void> {
    const email = 'often@example.com';
    await scene.customer({ email });
    const path = await signInPath();
    const visitor = new Visitor(system.gatewayUrl);
    const from = { 'X-Forwarded-For': '192.0.2.8' };
    const answers = new Set<string>();
    for (let time = 1; time <= 4; time += 1) {
      answers.add((await visitor.post(path, { email }, from)).text);
    }
    expect(answers.size).toBe(1);
    await eventually(async () => {
      expect(await linksTo(email)).toHaveLength(3);
    });
    const other = await PortalScene.begin(system);
    await other.customer({ email: 'other@example.com' });
    const { portalSignInUrl } = await other.read('/branding');
    const otherPath = new URL(String(portalSignInUrl)).pathname;
    // The later address is mailed last, so an earlier mail would be there.
    for (const typed of [email, 'other@example.com']) {
      expect((await visitor.post(otherPath, { email: typed }, from)).status).toBe(200);
    }
    await eventually(async () => {
      const { data } = await other.read('/sandboxes/inbox?kind=PORTAL_LINK');
      expect(data.map(({ to }: { to: string }) => to)).toEqual(['other@example.com']);
    });
    expect(await linksTo(email)).toHaveLength(3);
  }

  test('has no page for an unknown environment, nor for a live one without a mail server', async () => {
    const visitor = new Visitor(system.gatewayUrl);
    const live = await system.live.expect(200, system.live.get('/branding'));
    const liveId = String(live.portalSignInUrl).split('/').at(-1);
    for (const id of [unknownId, 'x', liveId]) {
      expect((await visitor.open(`/portal/sign-in/${id}`)).status).toBe(404);
      expect((await visitor.post(`/portal/sign-in/${id}`, { email: 'a@b.co' })).status).toBe(404);
    }
  });

  test('refuses the eleventh post of an address within a minute', async () => {
    const path = await signInPath();
    const visitor = new Visitor(system.gatewayUrl);
    const from = { 'X-Forwarded-For': '192.0.2.7' };
    const startedAt = performance.now();
    const pages = await Promise.all(
      Array.from({ length: 20 }, () => visitor.post(path, { email: 'many@example.com' }, from)),
    );
    // A slow machine takes longer, and one more is allowed every six seconds.
    const refilled = Math.ceil((performance.now() - startedAt) / 6_000);
    const admitted = pages.filter(({ status }) => status === 200);
    expect(admitted.length).toBeGreaterThanOrEqual(10);
    expect(admitted.length).toBeLessThanOrEqual(10 + refilled);
    const others = pages.filter((page) => !admitted.includes(page)).map(({ status }) => status);
    expect(new Set(others)).toEqual(new Set([429]));
  });

  test('can be asked for by the API', async () => {
    const email = 'api@example.com';
    const customerId = await scene.customer({ email });
    const { url } = await scene.create('/portal/sessions', { customerId, sendEmail: true });
    await eventually(async () => {
      expect(await linksTo(email)).toEqual([url]);
    });
  });
});

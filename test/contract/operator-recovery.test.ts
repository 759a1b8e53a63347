import { eventually } from '@billing/chassis/testing';
import { startMailServer, type TestMailServer } from '../support/mail-server';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const startMs = 600_000;

let system: OwnTestSystem;
let owner: OperatorClient;
let mailServer: TestMailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  system = await startTestSystem({ ownProcess: true, gateway: mailServer.settings });
  owner = await OperatorClient.owner(system);
}, startMs);

afterAll(async () => {
  await system.stop();
  await mailServer.close();
});

const liveId = async (): Promise<string> => {
  const { data } = (await owner.api('GET', '/environments')).body;
  return data.find(({ kind }: { kind: string }) => kind === 'LIVE').id;
};
const newcomer = () => new OperatorClient(system.gatewayUrl);

describe('a reset link', () => {
  const logIn = (client: OperatorClient, credentials: object) =>
    client.api('POST', '/session', credentials);

  test('sets a new password once, and ends all sessions', async () => {
    const viewer = await owner.colleague('VIEWER');
    const { id, email } = (await viewer.api('GET', '/session')).body.operator;
    const made = await owner.api('POST', `/operators/${String(id)}/reset-link`, {});
    expect([made.status, made.body]).toEqual([
      201,
      {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/reset#[\w-]{43}$/),
        expiresAt: expect.stringMatching(instant),
      },
    ]);
    const token = String(made.body.url.split('#').at(-1));
    const look = () => newcomer().api('POST', '/reset-links/look', { token });
    expect((await look()).body).toEqual({ email });
    const use = (typed: string) =>
      newcomer().api('POST', '/reset-links/use', { token, password: typed });
    expect((await use('football2024')).body).toEqual({
      error: { password: ['Too easy to guess'] },
    });
    expect((await use('a longer better one')).status).toBe(204);
    expect((await viewer.api('GET', '/session')).status).toBe(401);
    expect((await logIn(newcomer(), { email, password: 'a longer better one' })).status).toBe(200);
    expect((await logIn(newcomer(), { email, password })).status).toBe(401);
    for (const again of [await look(), await use('a longer better one')]) {
      expect([again.status, again.headers.get('error-code')]).toEqual([
        404,
        'reset_link_not_found',
      ]);
    }
  });

  test('cannot be created by an admin for an owner', async () => {
    const { id } = (await owner.api('GET', '/session')).body.operator;
    const admin = await owner.colleague('ADMIN');
    const answer = await admin.api('POST', `/operators/${String(id)}/reset-link`, {});
    expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
    expect(answer.headers.get('error-code')).toBe('insufficient_permissions');
  });
});

describe('a mail to an operator', () => {
  /** The link of the only mail to an address. */
  const mailedLink = (address: string, path: string) =>
    eventually(() => {
      const contents = mailServer.contentsTo(address);
      expect(contents).toHaveLength(1);
      const link = new RegExp(`http://\\S+/dashboard/${path}#[\\w-]{43}`).exec(contents[0] ?? '');
      expect(link).not.toBeNull();
      return link![0];
    });
  const ask = (email: string) => newcomer().api('POST', '/password-resets', { email });

  test('invites with the link that the inviter gets', async () => {
    const email = newAddress();
    const { status, body } = await owner.api('POST', '/operators', { email, role: 'VIEWER' });
    expect([status, body.emailed]).toEqual([201, true]);
    const link = await mailedLink(email, 'invitation');
    expect(link).toBe(body.link);
    await newcomer().accept(link, email);
    const [content] = mailServer.contentsTo(email);
    expect(content).toContain('From: billing@acme.example');
    expect(content).toContain('owner@example.com invites you');
    const { data } = (await owner.in(await liveId()).v1('GET', '/emails')).body;
    expect(data).toEqual([]);
  });

  test('resets a password, and answers alike for an unknown address', async () => {
    const viewer = await owner.colleague('VIEWER');
    const { email } = (await viewer.api('GET', '/session')).body.operator;
    expect((await newcomer().api('GET', '/sign-in-ways')).body.passwordReset).toBe(true);
    const links = () =>
      mailServer
        .contentsTo(email)
        .flatMap((content) => /dashboard\/reset#([\w-]{43})/.exec(content)?.[1] ?? []);
    const [known, unknown] = [await ask(email), await ask(newAddress())];
    for (const answer of [known, unknown]) expect([answer.status, answer.body]).toEqual([202, {}]);
    const namesOf = ({ headers }: typeof known) => [...headers.keys()].sort();
    expect(namesOf(known)).toEqual(namesOf(unknown));
    const token = await eventually(() => {
      expect(links()).toHaveLength(1);
      return links()[0];
    });
    const body = { token, password: 'a longer better one' };
    expect((await newcomer().api('POST', '/reset-links/use', body)).status).toBe(204);
    expect((await viewer.api('GET', '/session')).status).toBe(401);
    const { data } = (await owner.api('GET', '/audit?perPage=20')).body;
    expect(data).toContainEqual(
      expect.objectContaining({ action: 'POST /dashboard/api/password-resets' }),
    );
  });

  test('proves a new address by a code, also one that is in use', async () => {
    const taken = newAddress();
    await OperatorClient.owner({ ...system, organization: 'Another' }, taken);
    const one = await owner.colleague('DEVELOPER');
    const change = (email: string, emailCode?: string) =>
      one.api('PUT', '/operators/me/email', { email, password, emailCode });
    const codeTo = (address: string) =>
      eventually(() => {
        const [content = ''] = mailServer.contentsTo(address);
        return String(/hour:\s+([A-Z2-7]{8})\s/.exec(content)![1]);
      });
    const free = newAddress();
    const shown = async (email: string, emailCode?: string) => {
      const { status, body } = await change(email, emailCode);
      return [status, JSON.parse(JSON.stringify(body).replaceAll(email, 'the address'))];
    };
    for (const address of [free, taken]) {
      expect(await shown(address)).toEqual([202, { codeMailedTo: 'the address' }]);
      const wrong = [400, { error: { emailCode: ['Wrong code'] } }];
      expect(await shown(address, 'AAAAAAAA')).toEqual(wrong);
    }
    expect(await shown(taken, await codeTo(free))).toEqual([
      400,
      { error: { emailCode: ['Wrong code'] } },
    ]);
    expect((await change(taken, await codeTo(taken))).status).toBe(409);
    const changed = await change(free, await codeTo(free));
    expect([changed.status, changed.body]).toMatchObject([200, { email: free, emailProven: true }]);
    const { data } = (await owner.api('GET', '/audit?perPage=20')).body;
    expect(JSON.stringify(data)).not.toContain(await codeTo(free));
  });

  test('invites an address by mail three times an hour, and by link always', async () => {
    const email = newAddress();
    const invite = () => owner.api('POST', '/operators', { email, role: 'VIEWER' });
    const answers = [await invite(), await invite(), await invite(), await invite()];
    expect(answers.map(({ status, body }) => [status, body.emailed])).toEqual([
      ...Array.from({ length: 3 }, () => [201, true]),
      [201, false],
    ]);
    const last = answers.at(-1)!.body.link;
    expect(last).toMatch(/dashboard\/invitation#[\w-]{43}$/);
    await eventually(() => {
      expect(mailServer.contentsTo(email)).toHaveLength(3);
    });
    expect(mailServer.contentsTo(email).join()).not.toContain(last.split('#')[1]);
  });

  test('resets passwords ten times a minute for a network, then answers 429', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(newAddress())));
    const allowed = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    for (const { body } of allowed) expect(body).toEqual({});
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body]).toEqual([429, { error: 'Too many requests' }]);
      expect(headers.get('error-code')).toBe('too_many_requests');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // Nothing is mailed to strangers, and signing in is not limited by it.
    expect((await newcomer().api('GET', '/sign-in-ways')).status).toBe(200);
  });

  test('tests the mail server', async () => {
    const { status, body } = await owner.api('POST', '/email-test', {});
    expect([status, body]).toEqual([200, { status: 'SENT', reason: null }]);
    expect(mailServer.contentsTo('owner@example.com').at(-1)).toContain('Subject: Test email');
  });
});

describe('sessions', () => {
  test('are listed and ended one by one', async () => {
    const one = await owner.colleague('VIEWER');
    const { email } = (await one.api('GET', '/session')).body.operator;
    const other = newcomer();
    await other.api('POST', '/session', { email, password });
    const { data } = (await one.api('GET', '/sessions')).body;
    expect(data).toEqual([
      {
        id: expect.stringMatching(uuid),
        createdAt: expect.stringMatching(instant),
        lastUsedAt: expect.stringMatching(instant),
        expiresAt: expect.stringMatching(instant),
        address: '127.0.0.1',
        userAgent: expect.any(String),
        current: false,
      },
      expect.objectContaining({ current: true }),
    ]);
    const path = `/sessions/${String(data[0].id)}`;
    expect((await owner.api('DELETE', path)).headers.get('error-code')).toBe('session_not_found');
    expect((await one.api('DELETE', path)).status).toBe(204);
    expect((await other.api('GET', '/session')).status).toBe(401);
    expect((await one.api('GET', '/session')).status).toBe(200);
  });
});

describe('failed commands', () => {
  test('are listed, none in a healthy system', async () => {
    const { status, body } = await owner.api('GET', '/system/commands');
    expect([status, body]).toEqual([200, { commands: [] }]);
  });

  test.each(['retry', 'skip'])(
    'with an unknown id are 404, and a %s leaves an entry in the audit log',
    async (action) => {
      const path = `/system/commands/subscription/subscriptions:${unknownId}:1/${action}`;
      expect((await owner.api('POST', path, {})).status).toBe(404);
      const other = `/system/commands/nothing/subscriptions:${unknownId}:1/${action}`;
      expect((await owner.api('POST', other, {})).status).toBe(404);
      const { body } = await owner.api('GET', '/audit?perPage=10');
      expect(body.data).toContainEqual(
        expect.objectContaining({
          action: `POST /dashboard/api/system/commands/:service/:id/${action}`,
          path: `/dashboard/api${path}`,
        }),
      );
    },
  );
});

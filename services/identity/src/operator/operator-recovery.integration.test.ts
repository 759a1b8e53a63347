import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { ownerResetLink } from '../create-owner-link';
import {
  aNetwork,
  anEmail,
  context,
  OperatorTests,
  originAt,
  password,
  present,
  reason,
} from '../testing/operators';

let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };
const tests = new OperatorTests();
const newPassword = 'another horse battery';
const minuteMs = 60_000;

beforeAll(() => tests.start(clock));
afterAll(() => tests.stop());
afterEach(() => {
  clockOffsetMs = 0;
});

/** Tries wrong passwords; returns the number of verified ones, and the answers to the others. */
async function guess(email: string, count: number, network: () => string) {
  const guesses = await Promise.allSettled(
    Array.from({ length: count }, (_one, index) =>
      tests.logIn(email, `guess ${String(index)}`, network()),
    ),
  );
  const reasons = guesses.map((one) =>
    one.status === 'rejected' ? (one.reason as { reason: string }).reason : 'signed in',
  );
  const countOf = (name: string) => reasons.filter((one) => one === name).length;
  return { wrong: countOf('INVALID_CREDENTIALS'), locked: countOf('TOO_MANY_LOGINS') };
}

describe('wrong passwords', () => {
  test('from one network lock that network out, and no other', async () => {
    const { owner } = await tests.anOwner();
    const network = aNetwork();
    expect(await guess(owner.email, 25, () => network)).toEqual({ wrong: 10, locked: 15 });
    await expect(tests.logIn(owner.email, password, network)).rejects.toMatchObject({
      reason: 'TOO_MANY_LOGINS',
    });
    expect((await tests.logIn(owner.email)).operator?.id).toBe(owner.id);
    clockOffsetMs = 15 * minuteMs + 5_000;
    expect((await tests.logIn(owner.email, password, network)).operator?.id).toBe(owner.id);
  });

  test('are refused with the true time until the next try', async () => {
    const { owner } = await tests.anOwner();
    const network = aNetwork();
    await guess(owner.email, 10, () => network);
    clockOffsetMs = 5 * minuteMs;
    const refused = tests.logIn(owner.email, password, network);
    const { retryAfterSeconds } = await refused.then(
      () => ({ retryAfterSeconds: 0 }),
      (error: unknown) => error as { retryAfterSeconds: number },
    );
    expect(retryAfterSeconds).toBeGreaterThan(9 * 60);
    expect(retryAfterSeconds).toBeLessThanOrEqual(10 * 60);
    clockOffsetMs += retryAfterSeconds * 1_000;
    expect((await tests.logIn(owner.email, password, network)).operator?.id).toBe(owner.id);
  });

  test('from many networks lock an address out, except from its recent network', async () => {
    const { owner } = await tests.anOwner();
    const office = aNetwork();
    await tests.logIn(owner.email, password, office);
    let wrong = 0;
    for (let round = 0; round < 11; round += 1) {
      const network = aNetwork();
      wrong += (await guess(owner.email, 10, () => network)).wrong;
    }
    expect(wrong).toBe(100);
    await expect(tests.logIn(owner.email)).rejects.toThrow(reason('TOO_MANY_LOGINS'));
    expect((await tests.logIn(owner.email, password, office)).operator?.id).toBe(owner.id);
  });
});

describe('sessions', () => {
  const list = async (sessionToken: string) =>
    (await tests.peer.listSessions({ sessionToken }, context())).sessions;

  test('of an operator are listed, newest first, with their origin', async () => {
    const { owner } = await tests.anOwner();
    clockOffsetMs = 1_000;
    await tests.logIn(owner.email);
    const sessions = await list(owner.token);
    expect(sessions.map(({ current }) => current)).toEqual([false, true]);
    expect(sessions[0]).toMatchObject({ address: '192.0.2.1', userAgent: 'Test' });
  });

  test('end by their id, and those of other operators do not', async () => {
    const { owner } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const { session } = await tests.logIn(owner.email);
    const [newest] = await list(owner.token);
    const end = (sessionToken: string, id: string) =>
      tests.peer.endSession({ sessionToken, id }, context());
    const { id } = present(newest);
    await expect(end(viewer.token, id)).rejects.toThrow(reason('SESSION_NOT_FOUND'));
    await expect(end(owner.token, newId())).rejects.toThrow(reason('SESSION_NOT_FOUND'));
    await end(owner.token, id);
    await end(owner.token, id);
    await expect(tests.authenticate(present(session).token)).rejects.toThrow(
      reason('INVALID_SESSION'),
    );
    expect(await list(owner.token)).toHaveLength(1);
  });
});

describe('a reset link', () => {
  const linkFor = (of: { token: string }, operatorId: string) =>
    tests.peer.createResetLink({ sessionToken: of.token, operatorId }, context());
  const use = (token: string, typed = newPassword) =>
    tests.peer.resetPassword({ token, password: typed, origin: originAt('home') }, context());

  test('sets a new password once, ends all sessions and a lock-out', async () => {
    const { owner } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    await guess(viewer.email, 10, () => 'home');
    const { token, expiresAt } = await linkFor(owner, viewer.id);
    expect(present(expiresAt).getTime() - clock.now().getTime()).toBeLessThanOrEqual(60 * minuteMs);
    expect(await tests.peer.getResetLink({ token }, context())).toEqual({ email: viewer.email });
    await expect(use(token, 'short')).rejects.toMatchObject({
      fields: { password: ['Must be at least 12 characters'] },
    });
    await use(token);
    await expect(tests.authenticate(viewer.token)).rejects.toThrow(reason('INVALID_SESSION'));
    const { operator } = await tests.logIn(viewer.email, newPassword, 'home');
    expect(operator?.id).toBe(viewer.id);
    await expect(tests.logIn(viewer.email)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    await expect(use(token)).rejects.toThrow(reason('RESET_LINK_NOT_FOUND'));
  });

  test('is accepted for one of two concurrent uses, and ends all other links of the operator', async () => {
    const { owner } = await tests.anOwner();
    const links = [await linkFor(owner, owner.id), await linkFor(owner, owner.id)];
    const uses = await Promise.allSettled(links.map(({ token }) => use(token)));
    expect(uses.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test.each([
    ['may not sign in any more', { role: undefined, active: false }],
    ['may not create it any more', { role: Role.ROLE_VIEWER, active: undefined }],
  ])('is invalid when its creator %s', async (_case, update) => {
    const { owner } = await tests.anOwner();
    const admin = await tests.aColleague(owner, Role.ROLE_ADMIN);
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const { token } = await linkFor(admin, viewer.id);
    await tests.peer.updateOperator(
      {
        sessionToken: owner.token,
        operatorId: admin.id,
        role: update.role ?? Role.ROLE_UNSPECIFIED,
        active: update.active,
        revokeKeys: false,
      },
      context(),
    );
    const unknown = reason('RESET_LINK_NOT_FOUND');
    await expect(tests.peer.getResetLink({ token }, context())).rejects.toThrow(unknown);
    await expect(use(token)).rejects.toThrow(unknown);
    expect((await tests.logIn(viewer.email)).operator?.id).toBe(viewer.id);
  });

  test('expires after an hour', async () => {
    const { owner } = await tests.anOwner();
    const { token } = await linkFor(owner, owner.id);
    clockOffsetMs = 60 * minuteMs + 1_000;
    await expect(use(token)).rejects.toThrow(reason('RESET_LINK_NOT_FOUND'));
  });

  test('is not created by an admin for an admin, nor for another organization', async () => {
    const [{ owner }, other] = [await tests.anOwner(), await tests.anOwner()];
    const admin = await tests.aColleague(owner, Role.ROLE_ADMIN);
    await expect(linkFor(admin, owner.id)).rejects.toMatchObject({ kind: 'permission' });
    await expect(linkFor(admin, admin.id)).rejects.toMatchObject({ kind: 'permission' });
    await expect(linkFor(owner, other.owner.id)).rejects.toThrow(reason('OPERATOR_NOT_FOUND'));
  });

  test('is created on the machine for owners alone', async () => {
    const { owner, name } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const options = {
      identityAddress: tests.address,
      gatewayUrl: 'http://127.0.0.1:1',
      organization: name,
      service: 'test',
    };
    const link = await ownerResetLink(options, owner.email);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:1\/dashboard\/reset#[\w-]{43}$/);
    await use(link.split('#')[1] ?? '');
    expect((await tests.logIn(owner.email, newPassword)).operator?.id).toBe(owner.id);
    for (const email of [viewer.email, anEmail()]) {
      await expect(ownerResetLink(options, email)).rejects.toThrow(reason('OPERATOR_NOT_FOUND'));
    }
  });
});

describe('the list of operators', () => {
  test('shows who invited whom, and whose address is proven', async () => {
    const { owner } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const vouched = { email: viewer.email, issuer: 'https://id.example', subject: 'one' };
    await tests.peer.logInByProvider({ ...vouched, origin: originAt('home') }, context());
    const { operators } = await tests.peer.listOperators({ sessionToken: owner.token }, context());
    expect(operators).toMatchObject([
      { id: owner.id, invitedBy: undefined, emailProven: false },
      { id: viewer.id, invitedBy: { id: owner.id, email: owner.email }, emailProven: true },
    ]);
  });

  test('does not reveal an address of another organization', async () => {
    const [{ owner }, other] = [await tests.anOwner(), await tests.anOwner()];
    const request = { sessionToken: owner.token, role: Role.ROLE_VIEWER };
    const invite = (email: string) => tests.peer.inviteOperator({ ...request, email }, context());
    expect(Object.keys(await invite(other.owner.email))).toEqual(
      Object.keys(await invite(anEmail())),
    );
    await expect(invite(owner.email)).rejects.toThrow(reason('OPERATOR_EXISTS'));
  });
});

describe('a reset link that is asked for by email', () => {
  // The advanced clock of the service judges the deadline.
  const ask = (email: string) =>
    tests.peer.askForResetLink(
      { email, origin: originAt('home') },
      testContext({ deadlineMs: clockOffsetMs + minuteMs }),
    );

  test('goes to the operator, sets a password once and ends all sessions', async () => {
    const { owner } = await tests.anOwner();
    const { link } = await ask(owner.email.toUpperCase());
    expect(link).toMatchObject({ email: owner.email });
    const use = (token: string) =>
      tests.peer.resetPassword({ token, password: newPassword, origin: undefined }, context());
    const other = await ask(owner.email);
    await use(link!.token);
    await expect(tests.authenticate(owner.token)).rejects.toThrow(reason('INVALID_SESSION'));
    expect((await tests.logIn(owner.email, newPassword)).operator?.id).toBe(owner.id);
    const { session } = await tests.logIn(owner.email, newPassword);
    const { token: sessionToken } = present(session);
    const { operators } = await tests.peer.listOperators({ sessionToken }, context());
    expect(operators).toMatchObject([{ id: owner.id, emailProven: true }]);
    for (const token of [link!.token, other.link!.token]) {
      await expect(use(token)).rejects.toThrow(reason('RESET_LINK_NOT_FOUND'));
    }
  });

  test('is created three times an hour, however many ask concurrently', async () => {
    const { owner } = await tests.anOwner();
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(owner.email)));
    expect(asked.filter(({ link }) => link !== undefined)).toHaveLength(3);
    clockOffsetMs = 61 * minuteMs;
    expect((await ask(owner.email)).link).toBeDefined();
  });

  test('lapses after an hour', async () => {
    const { owner } = await tests.anOwner();
    const { link } = await ask(owner.email);
    clockOffsetMs = 60 * minuteMs;
    await expect(tests.peer.getResetLink({ token: link!.token }, context())).rejects.toThrow(
      reason('RESET_LINK_NOT_FOUND'),
    );
  });

  test.each(['unknown@example.com', 'unknown', ''])('is not created for “%s”', async (email) => {
    expect((await ask(email)).link).toBeUndefined();
  });

  test('is in the audit log with its origin', async () => {
    const { owner } = await tests.anOwner();
    await ask(owner.email);
    const request = {
      ...{ sessionToken: owner.token, targetIds: [owner.id], page: 1, perPage: 10 },
      ...{ actorId: undefined, targetId: undefined, since: undefined, until: undefined },
    };
    const { entries } = await tests.peer.listAuditEntries(request, context());
    const { address, userAgent } = originAt('home');
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'POST /dashboard/api/password-resets',
        ...{ address, userAgent, status: 202 },
      }),
    );
  });

  test('is not created for an operator who was deactivated, and an earlier one ends', async () => {
    const { owner } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const { link } = await ask(viewer.email);
    await tests.peer.updateOperator(
      {
        sessionToken: owner.token,
        operatorId: viewer.id,
        role: Role.ROLE_UNSPECIFIED,
        active: false,
        revokeKeys: false,
      },
      context(),
    );
    expect((await ask(viewer.email)).link).toBeUndefined();
    await expect(tests.peer.getResetLink({ token: link!.token }, context())).rejects.toThrow(
      reason('RESET_LINK_NOT_FOUND'),
    );
  });
});

test('operators and sessions of earlier releases stay valid', async () => {
  const { owner } = await tests.anOwner();
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  await mongo.db
    .collection('operators')
    .updateMany({}, { $unset: { invitedBy: '', resetsAskedAt: '', hasUsedMailedLink: '' } });
  await mongo.db.collection('operatorSessions').updateMany({}, { $unset: { origin: '' } });
  await mongo.close();
  expect((await tests.authenticate(owner.token)).operator).toMatchObject({
    id: owner.id,
    invitedBy: undefined,
  });
  const { sessions } = await tests.peer.listSessions({ sessionToken: owner.token }, context());
  expect(sessions).toMatchObject([{ address: '', userAgent: '', current: true }]);
});

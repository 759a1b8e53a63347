import { systemClock } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import {
  anEmail,
  aNetwork,
  context,
  OperatorTests,
  originAt,
  password,
  present,
  reason,
} from '../testing/operators';

const tests = new OperatorTests();
const newPassword = 'another horse battery';

/** Gives the operator's sessions the generation that they had before one change of the password. */
async function putSessionsBack(operatorId: string): Promise<void> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const sessions = mongo.db.collection('operatorSessions');
  await sessions.updateMany({ operatorId }, { $inc: { generation: -1, version: 1 } });
  await mongo.close();
}

beforeAll(() => tests.start(systemClock));
afterAll(() => tests.stop());

describe('a change of the password under a key', () => {
  const change = (sessionToken: string, changes: { retryKey?: string; typed?: string } = {}) => {
    const { retryKey, typed = newPassword } = changes;
    const passwords = { currentPassword: password, newPassword: typed };
    const request = { ...passwords, sessionToken, origin: originAt(aNetwork()), retryKey };
    return tests.peer.changePassword(request, context());
  };

  test('succeeds again, keeps its session and ends no other session', async () => {
    const { owner } = await tests.anOwner();
    await change(owner.token, { retryKey: 'a' });
    const { session } = await tests.logIn(owner.email, newPassword);
    await change(owner.token, { retryKey: 'a' });
    await tests.authenticate(owner.token);
    await tests.authenticate(present(session).token);
  });

  test('is refused with another key, without one, and with another password', async () => {
    const { owner } = await tests.anOwner();
    await change(owner.token, { retryKey: 'a' });
    const refused = reason('INVALID_CREDENTIALS');
    await expect(change(owner.token, { retryKey: 'b' })).rejects.toThrow(refused);
    await expect(change(owner.token)).rejects.toThrow(refused);
    const other = { retryKey: 'a', typed: 'a third horse battery' };
    await expect(change(owner.token, other)).rejects.toThrow(refused);
    await tests.logIn(owner.email, newPassword);
  });

  test('succeeds if the process died before it had kept its session', async () => {
    const { owner } = await tests.anOwner();
    await change(owner.token, { retryKey: 'a' });
    await putSessionsBack(owner.id);
    await expect(tests.authenticate(owner.token)).rejects.toThrow();
    await expect(change(owner.token, { retryKey: 'b' })).rejects.toThrow(reason('INVALID_SESSION'));
    await change(owner.token, { retryKey: 'a' });
    await tests.authenticate(owner.token);
  });

  test('succeeds for all of its concurrent attempts', async () => {
    const { owner } = await tests.anOwner();
    await Promise.all([1, 2, 3].map(() => change(owner.token, { retryKey: 'a' })));
    await tests.authenticate(owner.token);
    await tests.logIn(owner.email, newPassword);
  });
});

describe('a use of a reset link under a key', () => {
  const use = (token: string, changes: { retryKey?: string; typed?: string } = {}) => {
    const { retryKey, typed = newPassword } = changes;
    const request = { token, password: typed, origin: originAt(aNetwork()), retryKey };
    return tests.peer.resetPassword(request, context());
  };
  const linkOf = async ({ token, id }: { token: string; id: string }) =>
    (await tests.peer.createResetLink({ sessionToken: token, operatorId: id }, context())).token;

  test('succeeds again, and ends no session that was opened since', async () => {
    const { owner } = await tests.anOwner();
    const link = await linkOf(owner);
    const attempts = await Promise.all([1, 2].map(() => use(link, { retryKey: 'a' })));
    expect(attempts.map(({ operator }) => operator?.id)).toEqual([owner.id, owner.id]);
    const { session } = await tests.logIn(owner.email, newPassword);
    await use(link, { retryKey: 'a' });
    await tests.authenticate(present(session).token);
  });

  test('is refused with another key, without one, with another password, and after a later change', async () => {
    const { owner } = await tests.anOwner();
    const link = await linkOf(owner);
    await use(link, { retryKey: 'a' });
    const refused = reason('RESET_LINK_NOT_FOUND');
    await expect(use(link, { retryKey: 'b' })).rejects.toThrow(refused);
    await expect(use(link)).rejects.toThrow(refused);
    const other = { retryKey: 'a', typed: 'a third horse battery' };
    await expect(use(link, other)).rejects.toThrow(refused);
    const { session } = await tests.logIn(owner.email, newPassword);
    await use(await linkOf({ ...owner, token: present(session).token }), { retryKey: 'a' });
    await expect(use(link, { retryKey: 'a' })).rejects.toThrow(refused);
  });
});

describe('an accepted invitation under a key', () => {
  const invited = async () => {
    const { owner } = await tests.anOwner();
    const email = anEmail();
    const request = { sessionToken: owner.token, email, role: Role.ROLE_VIEWER };
    return { email, token: (await tests.peer.inviteOperator(request, context())).token };
  };
  const accept = (
    { token, email }: { token: string; email: string },
    { retryKey, typed = password }: { retryKey?: string; typed?: string } = {},
  ) => {
    const sent = { token, email, name: 'Ada', password: typed, retryKey };
    const request = { ...sent, origin: originAt(aNetwork()), providerConfigured: false };
    return tests.peer.acceptInvitation(request, context());
  };

  test('returns the same operator again, with a session', async () => {
    const invitation = await invited();
    const key = { retryKey: 'a' };
    const answers = await Promise.all([1, 2].map(() => accept(invitation, key)));
    answers.push(await accept(invitation, key));
    expect(new Set(answers.map(({ operator }) => operator?.id)).size).toBe(1);
    for (const { session } of answers) await tests.authenticate(present(session).token);
  });

  test('is refused with another key, without one, with another password or address', async () => {
    const invitation = await invited();
    await accept(invitation, { retryKey: 'a' });
    const refused = reason('INVITATION_NOT_FOUND');
    await expect(accept(invitation, { retryKey: 'b' })).rejects.toThrow(refused);
    await expect(accept(invitation)).rejects.toThrow(refused);
    const other = { retryKey: 'a', typed: newPassword };
    await expect(accept(invitation, other)).rejects.toThrow(refused);
    const elsewhere = { ...invitation, email: anEmail() };
    await expect(accept(elsewhere, { retryKey: 'a' })).rejects.toThrow(refused);
  });

  test('is refused once the operator has changed the password', async () => {
    const invitation = await invited();
    const key = { retryKey: 'a' };
    const { session } = await accept(invitation, key);
    const passwords = { currentPassword: password, newPassword };
    const request = { ...passwords, sessionToken: present(session).token, retryKey: 'a' };
    await tests.peer.changePassword({ ...request, origin: originAt(aNetwork()) }, context());
    const refused = reason('INVITATION_NOT_FOUND');
    await expect(accept(invitation, key)).rejects.toThrow(refused);
    await expect(accept(invitation, { ...key, typed: newPassword })).rejects.toThrow(refused);
  });
});

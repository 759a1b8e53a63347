import { systemClock } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { AuditStore } from '../audit/audit-store';
import { ownerResetLink } from '../create-owner-link';
import {
  anEmail,
  aNetwork,
  context,
  originAt,
  password,
  present,
  reason,
} from '../testing/operators';
import { SignIn } from './sign-in';
import { type Person, SecondFactorTests } from '../testing/second-factors';

const newPassword = 'another horse battery';
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };
const tests = new SecondFactorTests();

beforeAll(() => tests.start(clock));
afterAll(() => tests.stop());
afterEach(() => {
  clockOffsetMs = 0;
});
const { withFactor, anOwnerWithFactor, signIn, entriesOf, vouch } = tests;

describe('the rules of an organization', () => {
  const rule = (
    { token }: Person,
    rules: { requireSecondFactor?: boolean; providerOnly?: boolean },
  ) => tests.peer.updateSignInRules({ sessionToken: token, ...rules }, context());

  test('require a factor of sessions with a password, not of those by the provider', async () => {
    const { owner } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    await expect(rule(owner, { requireSecondFactor: true })).rejects.toThrow(
      reason('SECOND_FACTOR_MISSING'),
    );
    await expect(rule(viewer, { requireSecondFactor: true })).rejects.toThrow(
      reason('INSUFFICIENT_PERMISSIONS'),
    );
    await withFactor(owner);
    await rule(owner, { requireSecondFactor: true });
    const isMissing = async (token: string) =>
      (await tests.authenticate(token)).secondFactorMissing;
    expect(await isMissing(owner.token)).toBe(false);
    expect(await isMissing(viewer.token)).toBe(true);
    expect(await isMissing(present((await vouch(viewer)).session).token)).toBe(false);
    await withFactor(viewer);
    expect(await isMissing(viewer.token)).toBe(false);
    const { signInRules } = await tests.authenticate(viewer.token);
    expect(signInRules).toEqual({ requireSecondFactor: true, providerOnly: false });
  });

  test('are changed together with the name, by an owner', async () => {
    const { owner, name, organization } = await tests.anOwner();
    const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
    const rename = ({ token }: Person, to: string) =>
      tests.peer.updateSignInRules({ sessionToken: token, name: to }, context());
    await expect(rename(viewer, 'Acme Ltd')).rejects.toThrow(reason('INSUFFICIENT_PERMISSIONS'));
    await expect(rename(owner, ' ')).rejects.toThrow(reason('INVALID_REQUEST'));
    const rules = { requireSecondFactor: false, providerOnly: false };
    expect(await rename(owner, ' Acme Ltd ')).toEqual({ name: 'Acme Ltd', signInRules: rules });
    expect((await tests.authenticate(viewer.token)).organizationName).toBe('Acme Ltd');
    // The system still finds it by its first name when it starts.
    const ensured = await tests.identity.ensureOrganization({ name }, context());
    expect(ensured.organizationId).toBe(organization.organizationId);
  });

  test('allow no passwords, except without a provider and after a reset on the machine', async () => {
    const { owner, name } = await tests.anOwner();
    await expect(rule(owner, { providerOnly: true })).rejects.toThrow(
      reason('PROVIDER_IDENTITY_MISSING'),
    );
    const { session } = await vouch(owner);
    await rule({ ...owner, token: present(session).token }, { providerOnly: true });
    const enter = (typed: string, providerConfigured: boolean) =>
      tests.logIn(owner.email, typed, aNetwork(), { providerConfigured });
    await expect(enter(password, true)).rejects.toThrow(reason('PASSWORD_SIGN_IN_OFF'));
    await expect(enter('wrong', true)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    expect((await enter(password, false)).operator?.id).toBe(owner.id);
    const site = { identityAddress: tests.address, gatewayUrl: 'http://127.0.0.1:1' };
    const link = await ownerResetLink(
      { ...site, organization: name, service: 'test' },
      owner.email,
    );
    const token = link.split('#')[1] ?? '';
    await tests.peer.resetPassword({ token, password: newPassword, origin: undefined }, context());
    expect((await enter(newPassword, true)).operator?.id).toBe(owner.id);
    clockOffsetMs = 24 * 60 * 60_000 + 1_000;
    await expect(enter(newPassword, true)).rejects.toThrow(reason('PASSWORD_SIGN_IN_OFF'));
  });
});

test('where passwords are off, an invitation stores none, opens no session, is recorded', async () => {
  const { owner } = await tests.anOwner();
  const email = anEmail();
  const invitation = { sessionToken: owner.token, email, role: Role.ROLE_VIEWER };
  const { token } = await tests.peer.inviteOperator(invitation, context());
  const { session } = await vouch(owner);
  const sessionToken = present(session).token;
  await tests.peer.updateSignInRules({ sessionToken, providerOnly: true }, context());
  expect((await tests.peer.getInvitation({ token }, context())).providerOnly).toBe(true);
  const typed = { token, email, name: 'Ada', password: '', origin: originAt('home') };
  await expect(
    tests.peer.acceptInvitation({ ...typed, providerConfigured: false }, context()),
  ).rejects.toMatchObject({ fields: { password: [expect.any(String)] } });
  const request = { ...typed, password, providerConfigured: true };
  const accepted = await tests.peer.acceptInvitation(request, context());
  expect(accepted.session).toBeUndefined();
  const { id } = present(accepted.operator);
  await expect(tests.logIn(email, password)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  const entered = await vouch({ email });
  expect(entered.operator?.id).toBe(id);
  const entries = (await entriesOf(owner)).filter(({ actor }) => actor?.id === id);
  expect(entries.at(-1)).toMatchObject({
    action: 'POST /dashboard/api/invitations/accept',
    target: { type: 'operator', id },
    status: 200,
  });

  const person = { email, id, token: present(entered.session).token } as Person;
  const { code } = await withFactor(person);
  const remove = (typedCode: string) =>
    tests.peer.deleteSecondFactor(
      { sessionToken: person.token, password: '', code: typedCode, origin: originAt('home') },
      context(),
    );
  await expect(remove('wrong')).rejects.toMatchObject({ fields: { code: [expect.any(String)] } });
  await remove(code());
  expect((await tests.authenticate(person.token)).operator?.secondFactor).toBeUndefined();
});

test('an invitation is accepted only with an entry in the audit log', async () => {
  const { owner } = await tests.anOwner();
  const email = anEmail();
  const invitation = { sessionToken: owner.token, email, role: Role.ROLE_VIEWER };
  const { token } = await tests.peer.inviteOperator(invitation, context());
  const typed = { token, email, name: 'Ada', password, origin: originAt('home') };
  const accept = () =>
    tests.peer.acceptInvitation({ ...typed, providerConfigured: false }, context());
  const begin = jest.spyOn(AuditStore.prototype, 'begin');
  begin.mockRejectedValueOnce(new Error('connection closed'));
  try {
    await expect(accept()).rejects.toMatchObject({ kind: 'unavailable' });
  } finally {
    begin.mockRestore();
  }
  await expect(tests.logIn(email, password)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  const id = present((await accept()).operator).id;
  const entries = (await entriesOf(owner)).filter(({ actor }) => actor?.id === id);
  expect(entries).toEqual([
    expect.objectContaining({
      action: 'POST /dashboard/api/invitations/accept',
      path: '/dashboard/api/invitations/accept',
      target: expect.objectContaining({ type: 'operator', id }) as unknown,
      status: 200,
    }),
  ]);
});

test('an invitation whose session cannot be stored is accepted without a session', async () => {
  const { owner } = await tests.anOwner();
  const email = anEmail();
  const invitation = { sessionToken: owner.token, email, role: Role.ROLE_VIEWER };
  const { token } = await tests.peer.inviteOperator(invitation, context());
  const typed = { token, email, name: 'Ada', password, origin: originAt('home') };
  const open = jest.spyOn(SignIn.prototype, 'open');
  open.mockRejectedValueOnce(new Error('connection closed'));
  try {
    const request = { ...typed, providerConfigured: false };
    const accepted = await tests.peer.acceptInvitation(request, context());
    expect(accepted.session).toBeUndefined();
  } finally {
    open.mockRestore();
  }
  expect((await tests.logIn(email, password)).operator?.email).toBe(email);
});

test('a required second factor is set up while the system recovers', async () => {
  const { owner } = await anOwnerWithFactor();
  const late = await tests.aColleague(owner, Role.ROLE_OWNER);
  const rule = (requireSecondFactor: boolean) =>
    tests.peer.updateSignInRules({ sessionToken: owner.token, requireSecondFactor }, context());
  await rule(true);
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const system = mongo.db.collection<{ _id: string; state: string }>('system');
  try {
    await system.updateOne({ _id: 'system' }, { $set: { state: 'RECOVERING' } }, { upsert: true });
    await eventually(() => expect(rule(true)).rejects.toThrow(reason('RECOVERING')));
    const { session } = await signIn(late);
    const person = { ...late, token: present(session).token };
    expect((await tests.authenticate(person.token)).secondFactorMissing).toBe(true);
    await withFactor(person);
    expect((await tests.authenticate(person.token)).secondFactorMissing).toBe(false);
  } finally {
    await system.updateOne({ _id: 'system' }, { $set: { state: 'OPEN' } });
    await eventually(() => rule(false));
    await mongo.close();
  }
});

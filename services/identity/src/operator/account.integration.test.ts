import { systemClock } from '@billing/chassis/clock';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import {
  aNetwork,
  anEmail,
  context,
  originAt,
  password,
  present,
  reason,
} from '../testing/operators';
import { type Person, SecondFactorTests } from '../testing/second-factors';

const tests = new SecondFactorTests();

beforeAll(() => tests.start(systemClock));
afterAll(() => tests.stop());

function changeEmail({ token }: Pick<Person, 'token'>, email: string, typed: object = {}) {
  const request = { sessionToken: token, email, password, code: undefined, provesEmail: false };
  return tests.peer.changeEmail({ ...request, origin: originAt(aNetwork()), ...typed }, context());
}

test('an operator changes the own name', async () => {
  const { owner } = await tests.anOwner();
  const request = { sessionToken: owner.token, name: 'Ada L.' };
  const { operator } = await tests.peer.changeName(request, context());
  expect(operator).toEqual({ ...owner.operator, name: 'Ada L.' });
  expect((await tests.authenticate(owner.token)).operator).toEqual(operator);
});

describe('an operator who changes the own email address', () => {
  test('signs in with the new one only, and keeps one session and the id', async () => {
    const { owner } = await tests.anOwner();
    const other = present((await tests.logIn(owner.email)).session).token;
    const email = anEmail();
    const { operator } = await changeEmail(owner, ` ${email.toUpperCase()} `);
    expect(operator).toEqual({ ...owner.operator, email });
    expect((await tests.authenticate(owner.token)).operator).toEqual(operator);
    await expect(tests.authenticate(other)).rejects.toThrow(reason('INVALID_SESSION'));
    await expect(tests.logIn(owner.email)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    expect((await tests.logIn(email)).operator?.id).toBe(owner.id);
    // The provider's person may be another one: the address is not proven.
    for (const person of [{ email }, owner]) {
      await expect(tests.vouch(person)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    }
  });

  test('needs the password, and a valid address', async () => {
    const { owner } = await tests.anOwner();
    await expect(changeEmail(owner, anEmail(), { password: 'wrong' })).rejects.toThrow(
      reason('INVALID_CREDENTIALS'),
    );
    await expect(changeEmail(owner, 'ada')).rejects.toMatchObject({
      fields: { email: ['Invalid email'] },
    });
    expect((await tests.logIn(owner.email)).operator).toEqual(owner.operator);
  });

  test('proves it by a mailed code, which tells nothing about other operators', async () => {
    const { owner } = await tests.anOwner();
    const { owner: stranger } = await tests.anOwner();
    const email = anEmail();
    const ask = (to: string, emailCode?: string) =>
      changeEmail(owner, to, { provesEmail: true, emailCode });
    const { operator, emailCode: ofStranger } = await ask(stranger.email);
    expect([operator, ofStranger]).toEqual([undefined, expect.stringMatching(/^[A-Z2-7]{8}$/)]);
    const { emailCode } = await ask(email);
    for (const to of [email, stranger.email]) {
      await expect(ask(to, 'AAAAAAAA')).rejects.toMatchObject({
        fields: { emailCode: ['Wrong code'] },
      });
    }
    expect((await tests.logIn(owner.email)).operator).toEqual(owner.operator);
    await expect(ask(stranger.email, ofStranger)).rejects.toThrow(reason('OPERATOR_EXISTS'));
    const changed = await ask(email, emailCode);
    expect(changed).toMatchObject({ operator: { email, emailProven: true }, emailCode: '' });
    // A retry.
    expect(await ask(email, emailCode)).toEqual(changed);
  });

  test('needs a code of the second factor, once', async () => {
    const { owner, code } = await tests.anOwnerWithFactor();
    const email = anEmail();
    const refusedFor = (problem: string) =>
      expect.objectContaining({ fields: { code: [problem] } }) as Error;
    await expect(changeEmail(owner, email)).rejects.toThrow(refusedFor('Required'));
    await expect(changeEmail(owner, email, { code: '000000x' })).rejects.toThrow(
      refusedFor('Wrong or used code'),
    );
    const sent = { code: code() };
    expect((await changeEmail(owner, email, sent)).operator?.email).toBe(email);
    // The answer may have been lost.
    expect((await changeEmail(owner, email, sent)).operator?.email).toBe(email);
    await expect(changeEmail(owner, anEmail(), sent)).rejects.toThrow(
      refusedFor('Wrong or used code'),
    );
    await expect(tests.signIn({ ...owner, email }, sent.code)).rejects.toThrow(
      reason('INVALID_SECOND_FACTOR'),
    );
  });

  test('gets no address that another operator has or joined with', async () => {
    const { owner } = await tests.anOwner();
    const { owner: other } = await tests.anOwner();
    const taken = reason('OPERATOR_EXISTS');
    await expect(changeEmail(owner, other.email)).rejects.toThrow(taken);
    const moved = anEmail();
    await changeEmail(other, moved);
    for (const email of [other.email, moved]) {
      await expect(changeEmail(owner, email)).rejects.toThrow(taken);
      const invitation = { sessionToken: other.token, email, role: Role.ROLE_VIEWER };
      await expect(tests.peer.inviteOperator(invitation, context())).rejects.toThrow(taken);
    }
    expect((await changeEmail(other, other.email)).operator?.email).toBe(other.email);
    expect((await changeEmail(owner, moved)).operator?.email).toBe(moved);
  });

  test('asks for at most ten addresses in a quarter of an hour', async () => {
    const { owner } = await tests.anOwner();
    const { owner: other } = await tests.anOwner();
    for (let asked = 0; asked < 10; asked += 1) {
      await expect(changeEmail(owner, other.email)).rejects.toThrow(reason('OPERATOR_EXISTS'));
    }
    await expect(changeEmail(owner, anEmail())).rejects.toThrow(reason('TOO_MANY_LOGINS'));
  });

  test('gets an address that two others ask for at the same time, or is refused', async () => {
    const { owner } = await tests.anOwner();
    const { owner: inviter } = await tests.anOwner();
    const email = anEmail();
    const invitation = { sessionToken: inviter.token, email, role: Role.ROLE_VIEWER };
    const { token } = await tests.peer.inviteOperator(invitation, context());
    const { owner: other } = await tests.anOwner();
    const all = await Promise.allSettled([
      changeEmail(owner, email),
      changeEmail(other, email),
      tests.accept(token, email),
    ]);
    const refused = all.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason: error }) => (error as { reason: string }).reason)).toEqual([
      'OPERATOR_EXISTS',
      'OPERATOR_EXISTS',
    ]);
  });

  test('is refused where the identity provider determines it', async () => {
    const { owner } = await tests.anOwner();
    expect(owner.operator.emailFromProvider).toBe(false);
    expect((await tests.vouch(owner)).operator?.emailFromProvider).toBe(true);
    await expect(changeEmail(owner, anEmail())).rejects.toThrow(reason('EMAIL_OF_PROVIDER'));
  });

  test('ends the reset links of the former address', async () => {
    const { owner } = await tests.anOwner();
    const origin = originAt(aNetwork());
    const asked = { email: owner.email, origin };
    const { link } = await tests.peer.askForResetLink(asked, context());
    await changeEmail(owner, anEmail());
    await expect(
      tests.peer.getResetLink({ token: present(link).token }, context()),
    ).rejects.toThrow(reason('RESET_LINK_NOT_FOUND'));
    expect((await tests.peer.askForResetLink(asked, context())).link).toBeUndefined();
  });
});

import { systemClock } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually, roundsOf } from '@billing/chassis/testing';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { ownerResetLink } from '../create-owner-link';
import { start } from '../service';
import { aNetwork, context, originAt, password, present, reason } from '../testing/operators';
import { type Person, SecondFactorTests } from '../testing/second-factors';

const stepMs = 30_000;
const newPassword = 'another horse battery';
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };
const tests = new SecondFactorTests();

beforeAll(() => tests.start(clock));
afterAll(() => tests.stop());
afterEach(() => {
  clockOffsetMs = 0;
});
const { begin, confirm, withFactor, anOwnerWithFactor, signIn, entriesOf } = tests;
const wrong = reason('INVALID_SECOND_FACTOR');

describe('an operator with a second factor', () => {
  test('signs in with codes that are valid once', async () => {
    const { owner, code, used } = await anOwnerWithFactor();
    await expect(signIn(owner)).rejects.toThrow(reason('SECOND_FACTOR_REQUIRED'));
    await expect(signIn(owner, used)).rejects.toThrow(wrong);
    const next = code();
    const { operator } = await signIn(owner, next);
    expect(operator?.secondFactor?.recoveryCodesLeft).toBe(10);
    await expect(signIn(owner, next)).rejects.toThrow(wrong);
    clockOffsetMs = stepMs;
    expect((await signIn(owner, code())).operator?.id).toBe(owner.id);
  });

  test('signs in once, if two sign-ins use the same code at once', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const next = code();
    const both = await Promise.allSettled([signIn(owner, next), signIn(owner, next)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('signs in with a recovery code, which is valid once', async () => {
    const { owner, recoveryCodes } = await anOwnerWithFactor();
    const [first = '', ...others] = recoveryCodes;
    expect(others).toHaveLength(9);
    const { operator } = await signIn(owner, first);
    expect(operator?.secondFactor?.recoveryCodesLeft).toBe(9);
    await expect(signIn(owner, first)).rejects.toThrow(wrong);
  });

  test('does not sign in with codes of another operator, nor without the password', async () => {
    const { owner } = await anOwnerWithFactor();
    const other = await anOwnerWithFactor();
    await expect(signIn(owner, other.code())).rejects.toThrow(wrong);
    await expect(signIn(owner, other.recoveryCodes[0])).rejects.toThrow(wrong);
    const request = { code: other.code() };
    await expect(tests.logIn(other.owner.email, 'wrong', aNetwork(), request)).rejects.toThrow(
      reason('INVALID_CREDENTIALS'),
    );
    expect((await signIn(other.owner, other.code())).operator?.id).toBe(other.owner.id);
  });

  test('keeps the session that set the factor up, and no other', async () => {
    const { owner } = await tests.anOwner();
    const { session } = await signIn(owner);
    await withFactor(owner);
    expect((await tests.authenticate(owner.token)).operator?.id).toBe(owner.id);
    await expect(tests.authenticate(present(session).token)).rejects.toThrow(
      reason('INVALID_SESSION'),
    );
  });

  test('sets up no other factor, and has none before its confirmation', async () => {
    const { owner } = await tests.anOwner();
    const replaced = await begin(owner);
    const code = await begin(owner);
    await expect(confirm(owner, replaced(0))).rejects.toMatchObject({
      fields: { code: ['Wrong or used code'] },
    });
    expect((await signIn(owner)).operator?.secondFactor).toBeUndefined();
    await confirm(owner, code(0));
    await expect(begin(owner)).rejects.toThrow(reason('SECOND_FACTOR_EXISTS'));
    await expect(confirm(owner, code())).rejects.toThrow(reason('SECOND_FACTOR_NOT_FOUND'));
  });
});

test('a lost confirmation is retried by its session, and by no other', async () => {
  const { owner, used, recoveryCodes } = await anOwnerWithFactor();
  const codes = await confirm(owner, used);
  expect(new Set([...codes, ...recoveryCodes]).size).toBe(20);
  await expect(signIn(owner, recoveryCodes[0])).rejects.toThrow(wrong);
  const { session } = await signIn(owner, codes[0]);
  const other = { ...owner, token: present(session).token };
  await expect(confirm(other, used)).rejects.toThrow(reason('SECOND_FACTOR_NOT_FOUND'));
});

test('a wrong confirmation does not end the session', async () => {
  const { owner } = await tests.anOwner();
  const code = await begin(owner);
  await expect(confirm(owner, 'wrong')).rejects.toMatchObject({
    fields: { code: ['Wrong or used code'] },
  });
  expect(await confirm(owner, code(0))).toHaveLength(10);
});

test('the audit log has refused passwords and codes, not the question for a code', async () => {
  const { owner, used } = await anOwnerWithFactor();
  await expect(signIn(owner)).rejects.toThrow(reason('SECOND_FACTOR_REQUIRED'));
  await expect(signIn(owner, used)).rejects.toThrow(wrong);
  await expect(tests.logIn(owner.email, 'wrong')).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  const signIns = (await entriesOf(owner)).filter(
    ({ action }) => action === 'POST /dashboard/api/session',
  );
  const fields = signIns.map(({ changes }) => changes.map(({ field }) => field));
  expect(fields).toEqual([['password'], ['code']]);
});

describe('guesses of codes', () => {
  /** Guesses with the right password; returns how many codes were compared. */
  async function guess(owner: Person, count: number, network: () => string) {
    let compared = 0;
    for (let done = 0; done < count; done += 25) {
      const some = Array.from({ length: 25 }, () => signIn(owner, 'guess', network()));
      for (const one of await Promise.allSettled(some)) {
        const { reason: name } =
          one.status === 'rejected'
            ? (one.reason as Error & { reason: string })
            : { reason: 'signed in' };
        if (name === 'INVALID_SECOND_FACTOR') compared += 1;
        else expect(name).toBe('TOO_MANY_LOGINS');
      }
    }
    return compared;
  }

  test('are limited from one network, which locks out that network alone', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const network = aNetwork();
    expect(await guess(owner, 100, () => network)).toBe(10);
    await expect(signIn(owner, code(), network)).rejects.toThrow(reason('TOO_MANY_LOGINS'));
    expect((await signIn(owner, code())).operator?.id).toBe(owner.id);
  });

  test('are limited to 30 a day from any number of networks, except from a recent one', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const office = aNetwork();
    await signIn(owner, code(), office);
    expect(await guess(owner, roundsOf(1_000), aNetwork)).toBe(30);
    clockOffsetMs = stepMs;
    await expect(signIn(owner, code())).rejects.toThrow(reason('TOO_MANY_LOGINS'));
    expect((await signIn(owner, code(), office)).operator?.id).toBe(owner.id);
    clockOffsetMs = 24 * 60 * 60_000 + stepMs;
    expect((await signIn(owner, code())).operator?.id).toBe(owner.id);
  });

  test('are limited to 30 a day from a network that is known by a code', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const office = aNetwork();
    await signIn(owner, code(), office);
    let compared = 0;
    for (let quarter = 0; quarter < 5; quarter += 1) {
      clockOffsetMs = quarter * 15 * 60_000;
      compared += await guess(owner, 25, () => office);
    }
    expect(compared).toBe(30);
    expect((await signIn(owner, code())).operator?.id).toBe(owner.id);
  });

  test('count for all networks where the operator has signed in before the factor alone', async () => {
    const { owner } = await tests.anOwner();
    const office = aNetwork();
    await signIn(owner, undefined, office);
    const { code } = await withFactor(owner);
    expect(await guess(owner, 100, aNetwork)).toBe(30);
    clockOffsetMs = stepMs;
    await expect(signIn(owner, code(), office)).rejects.toThrow(reason('TOO_MANY_LOGINS'));
  });
});

describe('a second factor is removed', () => {
  test('by its operator with the password and a code', async () => {
    const { owner, code, used } = await anOwnerWithFactor();
    const remove = (typed: { password?: string; code?: string }) =>
      tests.peer.deleteSecondFactor(
        { sessionToken: owner.token, password, code: '', origin: originAt('home'), ...typed },
        context(),
      );
    await expect(remove({ password: 'wrong', code: code() })).rejects.toThrow(
      reason('INVALID_CREDENTIALS'),
    );
    await expect(remove({ code: used })).rejects.toMatchObject({
      fields: { code: ['Wrong or used code'] },
    });
    await remove({ code: code() });
    expect((await signIn(owner)).operator?.secondFactor).toBeUndefined();
    await expect(remove({ code: code() })).rejects.toThrow(reason('SECOND_FACTOR_NOT_FOUND'));
  });

  test('by no code after ten wrong ones', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const remove = (typed: string) =>
      tests.peer.deleteSecondFactor(
        { sessionToken: owner.token, password, code: typed, origin: originAt(owner.id) },
        context(),
      );
    for (let done = 0; done < 10; done += 1) {
      await expect(remove('guess')).rejects.toMatchObject({
        fields: { code: [expect.any(String)] },
      });
    }
    await expect(remove(code())).rejects.toThrow(reason('TOO_MANY_LOGINS'));
  });

  test('by another owner, which ends all sessions', async () => {
    const { owner, code } = await anOwnerWithFactor();
    const admin = await tests.aColleague(owner, Role.ROLE_ADMIN);
    const other = await tests.aColleague(owner, Role.ROLE_OWNER);
    const stranger = await tests.anOwner();
    const reset = ({ token }: Person) =>
      tests.peer.resetSecondFactor({ sessionToken: token, operatorId: owner.id }, context());
    const denied = reason('INSUFFICIENT_PERMISSIONS');
    await expect(reset(admin)).rejects.toThrow(denied);
    await expect(reset(owner)).rejects.toThrow(denied);
    await expect(reset(stranger.owner)).rejects.toThrow(reason('OPERATOR_NOT_FOUND'));
    await expect(signIn(owner)).rejects.toThrow(reason('SECOND_FACTOR_REQUIRED'));
    const { session } = await signIn(owner, code());
    await reset(other);
    await expect(tests.authenticate(present(session).token)).rejects.toThrow(
      reason('INVALID_SESSION'),
    );
    expect((await signIn(owner)).operator?.id).toBe(owner.id);
  });

  test('by the link of the machine alone, not by that of an operator', async () => {
    const { owner, name } = await anOwnerWithFactor();
    const other = await tests.aColleague(owner, Role.ROLE_OWNER);
    const use = async (token: string) => {
      const request = { token, password: newPassword, origin: undefined };
      return (await tests.peer.resetPassword(request, context())).operator?.secondFactor;
    };
    const { token } = await tests.peer.createResetLink(
      { sessionToken: other.token, operatorId: owner.id },
      context(),
    );
    expect(await use(token)).toBeDefined();
    const site = { identityAddress: tests.address, gatewayUrl: 'http://127.0.0.1:1' };
    const options = { ...site, organization: name, service: 'test' };
    const link = await ownerResetLink(options, owner.email);
    expect(await use(link.split('#')[1] ?? '')).toBeUndefined();
    expect((await tests.logIn(owner.email, newPassword)).operator?.id).toBe(owner.id);
  });
});

describe('stored secrets of second factors', () => {
  test('are sealed, and sealed again with the newest key after a rotation', async () => {
    const { owner } = await anOwnerWithFactor();
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    try {
      const sealed = async () => {
        const operators = mongo.db.collection<{
          _id: string;
          secondFactor: { sealedSecret: string };
        }>('operators');
        return (await operators.findOne({ _id: owner.id }))?.secondFactor.sealedSecret ?? '';
      };
      expect(await sealed()).toMatch(/^sealed:test:/);
      const added = { id: 'new', bytes: Buffer.alloc(32, 2) };
      const { configuration } = tests;
      const keys = [added, ...(configuration.DATA_KEYS ?? [])];
      const rotated = await start({ ...configuration, DATA_KEYS: keys }, { clock });
      await eventually(async () => {
        expect(await sealed()).toMatch(/^sealed:new:/);
      });
      await rotated.stop();
      for (const without of [[{ id: 'other', bytes: Buffer.alloc(32, 2) }], undefined]) {
        await expect(start({ ...configuration, DATA_KEYS: without })).rejects.toThrow(
          'DATA_KEYS: lacks the key new, which stored second factors are sealed with',
        );
      }
    } finally {
      await mongo.close();
    }
  });
});

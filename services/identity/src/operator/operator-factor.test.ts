import { recoveryCodeHash } from '../second-factor/recovery-codes';
import { codeOfStep } from '../second-factor/totp';
import { createOperator, type Operator, resetPassword } from './operator';
import {
  beginFactor,
  checkOwnRules,
  checkPasswordAllowed,
  confirmFactor,
  isFactorMissing,
  removeFactor,
  resetFactor,
  signInWithCode,
} from './operator-factor';

const secret = Buffer.from('12345678901234567890');
const now = new Date(3_000_000);
const later = new Date(3_030_000);
const code = codeOfStep(secret, 100);
const next = codeOfStep(secret, 101);
const recovery = 'gezd-gnbv-gy3t-qojq';
const recoveryHashes = [recoveryCodeHash(recovery), recoveryCodeHash('other')];

const made = { id: 'ada', email: 'ada@example.com', name: 'Ada', role: 'OWNER' } as const;
const { state: without } = createOperator({ ...made, passwordHash: 'hash', invitedBy: undefined });
const { state: begun } = beginFactor(without, 'sealed');
const sessionOpenedAt = new Date(2_990_000);
const first = { secret, code, recoveryHashes, sessionOpenedAt };
const { state: confirmed } = confirmFactor(begun, first, now);
const generation = confirmed.sessionGeneration;

const reason = (name: string) => expect.objectContaining({ reason: name }) as Error;

test('a second factor counts from its confirmation, which ends the other sessions', () => {
  expect(begun.secondFactor?.confirmedAt).toBeUndefined();
  expect(
    signInWithCode(begun, { secret, code: 'any', generation: begun.sessionGeneration }, now).state,
  ).toBe(begun);
  expect(confirmed.secondFactor).toMatchObject({ confirmedAt: now, lastStep: 100, recoveryHashes });
  expect(confirmed.sessionGeneration).toBe(begun.sessionGeneration + 1);
});

test('a second factor is replaced before its confirmation, not afterwards', () => {
  expect(beginFactor(begun, 'another').state.secondFactor?.sealedSecret).toBe('another');
  expect(() => beginFactor(confirmed, 'another')).toThrow(reason('SECOND_FACTOR_EXISTS'));
  const again = { ...first, code: next };
  expect(() => confirmFactor(confirmed, again, later)).toThrow(reason('SECOND_FACTOR_NOT_FOUND'));
  expect(() => confirmFactor(without, again, later)).toThrow(reason('SECOND_FACTOR_NOT_FOUND'));
  const wrong = { ...first, code: '000000' };
  expect(() => confirmFactor(begun, wrong, now)).toThrow(
    expect.objectContaining({ fields: { code: ['Wrong or used code'] } }),
  );
});

test('the session that confirmed may retry with its code, for other recovery codes', () => {
  const retry = { ...first, recoveryHashes: [recoveryCodeHash('new')] };
  const { state } = confirmFactor(confirmed, retry, later);
  expect(state).toEqual({
    ...confirmed,
    secondFactor: { ...confirmed.secondFactor, recoveryHashes: retry.recoveryHashes },
  });
});

test.each([
  ['a session of a later sign-in', confirmed, { sessionOpenedAt: now }, later],
  ['a code that is no longer valid', confirmed, {}, new Date(3_060_000)],
  ['another code', confirmed, { code: next }, later],
  ['a wrong code', confirmed, { code: '000000' }, later],
  [
    'the code, after a sign-in with the next one',
    signInWithCode(confirmed, { secret, code: next, generation }, later).state,
    {},
    later,
  ],
])('a confirmation is not retried with %s', (_case, operator, changed, at) => {
  expect(() => confirmFactor(operator, { ...first, ...changed }, at)).toThrow(
    reason('SECOND_FACTOR_NOT_FOUND'),
  );
});

test.each([
  ['was deactivated', { active: false }],
  ['has lost all sessions', { sessionGeneration: generation + 1 }],
  [
    'has lost all sessions and the factor',
    { sessionGeneration: generation + 1, secondFactor: undefined },
  ],
])('a code signs no operator in who %s since the password', (_case, changed) => {
  expect(() =>
    signInWithCode({ ...confirmed, ...changed }, { secret, code: next, generation }, later),
  ).toThrow(reason('INVALID_CREDENTIALS'));
});

test('a code is valid once, also the one that confirmed the factor', () => {
  const wrong = reason('INVALID_SECOND_FACTOR');
  expect(() => signInWithCode(confirmed, { secret, code, generation }, now)).toThrow(wrong);
  const { state } = signInWithCode(
    confirmed,
    { secret, code: ` ${next.slice(0, 3)} ${next.slice(3)}`, generation },
    later,
  );
  expect(() => signInWithCode(state, { secret, code: next, generation }, later)).toThrow(wrong);
});

test('a recovery code is valid once', () => {
  const { state } = signInWithCode(
    confirmed,
    { secret, code: recovery.toUpperCase(), generation },
    now,
  );
  expect(state.secondFactor?.recoveryHashes).toEqual([recoveryCodeHash('other')]);
  expect(() => signInWithCode(state, { secret, code: recovery, generation }, now)).toThrow(
    reason('INVALID_SECOND_FACTOR'),
  );
});

test.each(['', '-', '000000', 'gezd'])('the text "%s" is no code', (typed) => {
  expect(() => signInWithCode(confirmed, { secret, code: typed, generation }, now)).toThrow(
    reason('INVALID_SECOND_FACTOR'),
  );
});

test('a factor is removed by its operator, and by another owner, who ends the sessions', () => {
  const removed = { ...confirmed, secondFactor: undefined };
  expect(removeFactor(confirmed, { secret, code: next }, later).state).toEqual(removed);
  expect(removeFactor(confirmed, { secret, code: recovery }, now).state).toEqual(removed);
  expect(() => removeFactor(confirmed, { secret, code }, now)).toThrow(
    expect.objectContaining({ fields: { code: ['Wrong or used code'] } }),
  );
  expect(() => removeFactor(begun, { secret, code }, now)).toThrow(
    reason('SECOND_FACTOR_NOT_FOUND'),
  );
  const { state } = resetFactor(confirmed, { id: 'bob', role: 'OWNER' });
  expect(state.secondFactor).toBeUndefined();
  expect(state.sessionGeneration).toBe(confirmed.sessionGeneration + 1);
  expect(resetFactor(state, { id: 'bob', role: 'OWNER' }).state).toBe(state);
});

test.each([
  ['an admin', { id: 'bob', role: 'ADMIN' }],
  ['the operator, as an owner', { id: 'ada', role: 'OWNER' }],
] as const)('%s may not reset a factor', (_case, actor) => {
  expect(() => resetFactor(confirmed, actor)).toThrow(reason('INSUFFICIENT_PERMISSIONS'));
});

test.each([
  ['of the machine removes the factor and lets the owner in for a day', true],
  ['of an operator or a mail keeps the factor', false],
])('a reset link %s', (_case, isOfMachine) => {
  const link = { generation: confirmed.sessionGeneration, isMailed: false, isOfMachine };
  const { state } = resetPassword(confirmed, { ...link, passwordHash: 'new' }, now);
  expect(state.secondFactor).toEqual(isOfMachine ? undefined : confirmed.secondFactor);
  const rules = { requireSecondFactor: false, providerOnly: true };
  const signInAfter = (ms: number) => () => {
    const at = new Date(now.getTime() + ms);
    checkPasswordAllowed(state, rules, { isProviderConfigured: true, now: at });
  };
  const off = reason('PASSWORD_SIGN_IN_OFF');
  if (isOfMachine) expect(signInAfter(86_399_999)).not.toThrow();
  else expect(signInAfter(0)).toThrow(off);
  expect(signInAfter(86_400_000)).toThrow(off);
});

test('passwords are allowed without a provider, and without the rule', () => {
  const check = (providerOnly: boolean, isProviderConfigured: boolean) => () => {
    const rules = { requireSecondFactor: false, providerOnly };
    checkPasswordAllowed(without, rules, { isProviderConfigured, now });
  };
  expect(check(true, false)).not.toThrow();
  expect(check(false, true)).not.toThrow();
});

test.each([
  ['a password without a factor', begun, false, true],
  ['a password and a factor', confirmed, false, false],
  ['the provider', without, true, false],
])('a required factor is missing in a session by %s: %#', (_case, of, isByProvider, expected) => {
  const required = { requireSecondFactor: true, providerOnly: false };
  expect(isFactorMissing(of, { isByProvider }, required)).toBe(expected);
  const free = { ...required, requireSecondFactor: false };
  expect(isFactorMissing(of, { isByProvider }, free)).toBe(false);
});

describe('sign-in rules', () => {
  const bound: Operator = { ...without, providerIdentity: { issuer: 'one', subject: 'ada' } };
  const set =
    (of: Operator, rules: Parameters<typeof checkOwnRules>[2], isByProvider = false) =>
    () => {
      checkOwnRules(of, { isByProvider, isAvailable: true }, rules);
    };

  test('are set by owners alone', () => {
    expect(set({ ...confirmed, role: 'ADMIN' }, {})).toThrow(reason('INSUFFICIENT_PERMISSIONS'));
    expect(set(without, { requireSecondFactor: false, providerOnly: false })).not.toThrow();
  });

  test.each([true, false])(
    'require no factor where none can be set up, also of a session by the provider: %s',
    (isByProvider) => {
      const without = { isByProvider, isAvailable: false };
      const check = (requireSecondFactor: boolean) => () => {
        checkOwnRules(bound, without, { requireSecondFactor, providerOnly: true });
      };
      expect(check(true)).toThrow(reason('SECOND_FACTOR_UNAVAILABLE'));
      expect(check(false)).not.toThrow();
    },
  );

  test('never lock the owner out who sets them', () => {
    expect(set(begun, { requireSecondFactor: true })).toThrow(reason('SECOND_FACTOR_MISSING'));
    expect(set(confirmed, { requireSecondFactor: true })).not.toThrow();
    expect(set(without, { requireSecondFactor: true }, true)).not.toThrow();
    expect(set(confirmed, { providerOnly: true })).toThrow(reason('PROVIDER_IDENTITY_MISSING'));
    expect(set(bound, { providerOnly: true })).not.toThrow();
  });
});

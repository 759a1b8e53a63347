import { accept, type Invitation, invite } from './invitation';
import {
  change,
  changeEmail,
  changeName,
  changePassword,
  checkInvitation,
  checkReset,
  isEmailProven,
  createOperator,
  type Operator,
  operatorEmail,
  askForReset,
  bindToProvider,
  resetPassword,
  type Role,
  roles,
  setPassword,
} from './operator';
import { endSession, isOpen, renewGeneration, recordSessionUse, openSession } from './session';
import { isResetLinkValid, issueResetLink } from './reset-link';
import { addOwner, removeOwner, openSignInRules } from '../organization/organization';

const now = new Date('2026-03-01T12:00:00Z');
const hourMs = 3_600_000;

function later(ms: number): Date {
  return new Date(now.getTime() + ms);
}

function operator(state: Partial<Operator> = {}): Operator {
  return {
    id: 'operator-1',
    email: 'ada@example.com',
    name: 'Ada',
    role: 'DEVELOPER',
    active: true,
    passwordHash: undefined,
    secondFactor: undefined,
    passwordAllowedUntil: undefined,
    providerIdentity: undefined,
    sessionGeneration: 1,
    invitedBy: undefined,
    resetsAskedAt: [],
    hasUsedMailedLink: false,
    ...state,
  };
}

const refused = expect.objectContaining({ reason: 'INSUFFICIENT_PERMISSIONS' }) as Error;
const pairs = roles.flatMap((actor) => roles.map((role): [Role, Role] => [actor, role]));

describe('a request for a reset link', () => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));
  const passwordHash = 'scrypt:…';

  test('is recorded three times an hour', () => {
    const three = [at(0), at(10), at(20)];
    const asked = three.reduce(
      (state, now) => askForReset(state, now).state,
      operator({ passwordHash }),
    );
    expect(asked.resetsAskedAt).toEqual(three);
    expect(askForReset(asked, at(59)).state).toBe(asked);
    expect(askForReset(asked, at(60)).state.resetsAskedAt).toEqual([at(10), at(20), at(60)]);
  });

  test.each([
    ['without access', { passwordHash, active: false }],
    ['without a password', { passwordHash: undefined }],
  ])('of an operator %s is not recorded', (_name, state) => {
    const refused = operator(state);
    expect(askForReset(refused, at(0)).state).toBe(refused);
  });
});

test('an address is known in lower case', () => {
  expect(operatorEmail(' Ada@Example.COM ')).toBe('ada@example.com');
  expect(() => operatorEmail('ada')).toThrow(
    expect.objectContaining({ fields: { email: ['Invalid email'] } }),
  );
});

test('a new operator has a name', () => {
  const {
    active: _a,
    providerIdentity: _p,
    sessionGeneration: _g,
    ...rest
  } = operator({ name: ' ' });
  expect(() => createOperator(rest)).toThrow(
    expect.objectContaining({ fields: { name: ['Required'] } }),
  );
  expect(createOperator({ ...rest, name: ' Ada ' }).state).toEqual(operator());
});

describe('the rule for managing operators', () => {
  const allowed = new Set([
    ...roles.map((role) => `OWNER ${role}`),
    'ADMIN ADMIN',
    'ADMIN DEVELOPER',
    'ADMIN VIEWER',
  ]);

  test.each(pairs)('decides whether %s may invite %s', (role, invited) => {
    const inviting = () => {
      checkInvitation({ id: 'operator-2', role }, invited);
    };
    if (allowed.has(`${role} ${invited}`)) expect(inviting).not.toThrow();
    else expect(inviting).toThrow(refused);
  });

  test.each(pairs)('decides whether %s may change %s', (role, changed) => {
    const actor = { id: 'operator-2', role };
    const changing = () =>
      change(operator({ role: changed }), { role: undefined, active: false }, actor);
    if (allowed.has(`${role} ${changed}`)) expect(changing().state.active).toBe(false);
    else expect(changing).toThrow(refused);
  });

  test.each(pairs)('decides whether %s may make a viewer %s', (role, given) => {
    const actor = { id: 'operator-2', role };
    const viewer = operator({ role: 'VIEWER' });
    const changing = () => change(viewer, { role: given, active: undefined }, actor);
    if (allowed.has(`${role} ${given}`)) expect(changing().state.role).toBe(given);
    else expect(changing).toThrow(refused);
  });
});

test('a change to the present state is none', () => {
  const state = operator();
  const actor = { id: 'operator-2', role: 'OWNER' } as const;
  expect(change(state, { role: 'DEVELOPER', active: true }, actor).state).toBe(state);
  expect(change(state, { role: undefined, active: undefined }, actor).state).toBe(state);
});

describe('an operator of an identity provider', () => {
  const identity = { issuer: 'https://id.example', subject: 'subject-1' };
  const wrong = expect.objectContaining({ reason: 'INVALID_CREDENTIALS' }) as Error;
  const known = bindToProvider(operator(), identity).state;

  test('is identified by issuer and subject from the first sign-in on', () => {
    expect(known).toEqual(operator({ providerIdentity: identity }));
    expect(bindToProvider(known, { ...identity }).state).toBe(known);
  });

  test.each([
    ['another subject, who has the address now', known, { ...identity, subject: 'subject-2' }],
    ['the same subject of another issuer', known, { ...identity, issuer: 'https://evil.example' }],
    ['an empty subject', operator(), { ...identity, subject: '' }],
    ['an empty issuer', operator(), { ...identity, issuer: '' }],
    ['a subject beyond all bounds', operator(), { ...identity, subject: 's'.repeat(2_001) }],
    ['one who may not sign in', operator({ active: false }), identity],
    ['one who chose the address unproven', operator(), identity, true],
  ])('is refused as %s', (_case, state, { issuer, subject }, isChosen = false) => {
    expect(() => bindToProvider(state, { issuer, subject }, { isChosen })).toThrow(wrong);
  });

  test("loses the provider's identity when deactivated, so that a new identity can be theirs", () => {
    const actor = { id: 'operator-2', role: 'OWNER' } as const;
    const out = change(known, { role: undefined, active: false }, actor).state;
    const back = change(out, { role: undefined, active: true }, actor).state;
    const { state } = bindToProvider(back, { ...identity, subject: 'subject-2' });
    expect(state.providerIdentity?.subject).toBe('subject-2');
    const demoted = change(known, { role: 'VIEWER', active: undefined }, actor).state;
    expect(demoted.providerIdentity).toEqual(identity);
  });
});

describe('a reset link', () => {
  const { state: link } = issueResetLink(
    'link-1',
    { operator: operator(), createdBy: undefined },
    now,
  );
  const use = {
    generation: link.generation,
    isMailed: false,
    isOfMachine: false,
    passwordHash: 'new',
  };

  test.each([
    ['just made', operator(), now, true],
    ['about to expire', operator(), later(hourMs - 1), true],
    ['an hour old', operator(), later(hourMs), false],
    ['of an operator whose sessions were ended', operator({ sessionGeneration: 2 }), now, false],
    ['of an operator who may not sign in', operator({ active: false }), now, false],
    ['of another operator', operator({ id: 'operator-2' }), now, false],
  ])('%s is valid: %#', (_case, of, at, expected) => {
    expect(isResetLinkValid(link, { operator: of, creator: undefined }, at)).toBe(expected);
  });

  test.each([
    ['an owner', operator({ role: 'OWNER' }), 'ADMIN', true],
    ['an owner who may not sign in', operator({ role: 'OWNER', active: false }), 'ADMIN', false],
    ['an admin', operator({ role: 'ADMIN' }), 'DEVELOPER', true],
    ['an admin for one who is an admin now', operator({ role: 'ADMIN' }), 'ADMIN', false],
    ['an admin who is a developer now', operator({ role: 'DEVELOPER' }), 'VIEWER', false],
    ['an operator who is not there any more', undefined, 'VIEWER', false],
  ] as const)('of %s is valid: %#', (_case, creator, role, expected) => {
    const of = operator({ role });
    const input = { operator: of, createdBy: 'creator' };
    const { state } = issueResetLink('link-2', input, now);
    expect(isResetLinkValid(state, { operator: of, creator }, now)).toBe(expected);
  });

  test('sets the password once and ends all sessions', () => {
    const { state } = resetPassword(operator(), use, now);
    expect(state).toMatchObject({ passwordHash: 'new', sessionGeneration: 2 });
    expect(() => resetPassword(state, use, now)).toThrow(
      expect.objectContaining({ reason: 'RESET_LINK_NOT_FOUND' }),
    );
  });

  test.each(pairs)(
    'created by %s for %s is allowed to owners, and to admins for roles below',
    (actor, role) => {
      const ask = () => {
        checkReset({ id: 'actor', role: actor }, operator({ role }));
      };
      const isAllowed =
        actor === 'OWNER' || (actor === 'ADMIN' && ['DEVELOPER', 'VIEWER'].includes(role));
      if (isAllowed) expect(ask).not.toThrow();
      else expect(ask).toThrow(refused);
    },
  );

  test('is not created for an operator who may not sign in', () => {
    const ask = () => {
      checkReset({ id: 'actor', role: 'OWNER' }, operator({ active: false }));
    };
    expect(ask).toThrow(expect.objectContaining({ reason: 'OPERATOR_INACTIVE' }));
  });
});

test('an address is proven by the identity provider', () => {
  const identity = { issuer: 'https://id.example', subject: 'ada' };
  expect(isEmailProven(operator())).toBe(false);
  expect(isEmailProven(bindToProvider(operator(), identity).state)).toBe(true);
});

test.each([true, false])(
  'an address is proven by a reset link that was only mailed: %s',
  (isMailed) => {
    const input = { operator: operator(), createdBy: undefined, isMailed };
    const { state: link } = issueResetLink('link-3', input, now);
    const { state } = resetPassword(operator(), { ...link, passwordHash: 'new' }, now);
    expect(isEmailProven(state)).toBe(isMailed);
  },
);

describe('a session', () => {
  const { state: session } = openSession(
    'session-1',
    { operator: operator(), origin: undefined, isByProvider: false },
    now,
  );

  test.each([
    ['just opened', session, operator(), now, true],
    ['about to be idle for too long', session, operator(), later(12 * hourMs - 1), true],
    ['idle for too long', session, operator(), later(12 * hourMs), false],
    [
      'old, though used all the time',
      { ...session, lastUsedAt: later(7 * 24 * hourMs) },
      operator(),
      later(7 * 24 * hourMs),
      false,
    ],
    ['ended', endSession(session, now).state, operator(), now, false],
    ['of one who may not sign in', session, operator({ active: false }), now, false],
    ['of another', session, operator({ id: 'operator-2' }), now, false],
    [
      'from before a new password',
      session,
      setPassword(operator(), { passwordHash: 'hash' }).state,
      now,
      false,
    ],
  ])('%s', (_case, state, of, at, expected) => {
    expect(isOpen(state, of, at)).toBe(expected);
  });

  test('ends with its operator, and does not come back with them', () => {
    const actor = { id: 'operator-2', role: 'OWNER' } as const;
    const out = change(operator(), { role: undefined, active: false }, actor).state;
    const back = change(out, { role: undefined, active: true }, actor).state;
    expect(isOpen(session, out, now)).toBe(false);
    expect(isOpen(session, back, now)).toBe(false);
  });

  test('continues after changing the password itself', () => {
    const changed = setPassword(operator(), { passwordHash: 'hash' }).state;
    expect(isOpen(renewGeneration(session, changed).state, changed, now)).toBe(true);
  });

  test('records a use once in five minutes', () => {
    expect(recordSessionUse(session, later(5 * 60_000 - 1)).state).toBe(session);
    expect(recordSessionUse(session, later(5 * 60_000)).state.lastUsedAt).toEqual(
      later(5 * 60_000),
    );
  });
});

describe('an invitation', () => {
  const email = 'ada@example.com';
  const { state: open } = invite(
    'invitation-1',
    { role: 'ADMIN', email, invitedBy: undefined },
    now,
  );
  const ada = { operatorId: 'operator-1', email };
  const gone = expect.objectContaining({ reason: 'INVITATION_NOT_FOUND' }) as Error;

  test('is consumed by the invited person, who may retry', () => {
    const { state } = accept(open, ada, now);
    expect(state.acceptedBy).toBe('operator-1');
    expect(accept(state, ada, now).state).toBe(state);
  });

  test.each<[string, Invitation, typeof ada, Date]>([
    ['meant for another', open, { operatorId: 'operator-2', email: 'eve@example.com' }, now],
    ['used by another', { ...open, email: undefined, acceptedBy: 'operator-2' }, ada, now],
    ['expired', open, ada, open.expiresAt],
  ])('%s is not found', (_case, invitation, operatorOf, at) => {
    expect(() => accept(invitation, operatorOf, at)).toThrow(gone);
  });
});

describe('the owners of an organization', () => {
  const organization = {
    id: 'organization-1',
    name: 'Analytical Engines',
    owners: ['a', 'b'],
    signInRules: openSignInRules,
  };

  test('are counted once each', () => {
    expect(addOwner(organization, 'b').state).toBe(organization);
    expect(addOwner(organization, 'c').state.owners).toEqual(['a', 'b', 'c']);
  });

  test('never all leave', () => {
    const { state } = removeOwner(organization, 'a');
    expect(state.owners).toEqual(['b']);
    expect(() => removeOwner(state, 'b')).toThrow(
      expect.objectContaining({ reason: 'LAST_OWNER' }),
    );
  });

  test('stay as they are when a person leaves who was no owner', () => {
    expect(removeOwner(organization, 'c').state).toBe(organization);
  });
});

describe('the own account', () => {
  const passwordHash = 'scrypt:…';
  const withPassword = operator({ passwordHash, hasUsedMailedLink: true });

  test('gets another name, trimmed', () => {
    expect(changeName(withPassword, ' Ada L. ').state).toEqual({ ...withPassword, name: 'Ada L.' });
    expect(changeName(withPassword, 'Ada').state).toBe(withPassword);
    expect(() => changeName(withPassword, ' ')).toThrow(
      expect.objectContaining({ fields: { name: ['Required'] } }),
    );
  });

  test('gets another email address, which is not proven and ends the sessions', () => {
    const change = { generation: withPassword.sessionGeneration, isProven: false };
    const { state } = changeEmail(withPassword, { ...change, email: 'liv@example.com' });
    const sessionGeneration = withPassword.sessionGeneration + 1;
    const expected = { email: 'liv@example.com', hasUsedMailedLink: false, sessionGeneration };
    expect(state).toEqual({ ...withPassword, ...expected });
    expect(isEmailProven(state)).toBe(false);
    const proven = { ...change, email: 'liv@example.com', isProven: true };
    expect(isEmailProven(changeEmail(withPassword, proven).state)).toBe(true);
    expect(changeEmail(withPassword, { ...change, email: withPassword.email }).state).toBe(
      withPassword,
    );
  });

  test.each([
    ['a reset link', { ...withPassword, sessionGeneration: 2 }],
    ['a deactivation', { ...withPassword, active: false }],
  ])('is not changed by a session that %s has ended', (_name, state) => {
    const refused = expect.objectContaining({ reason: 'INVALID_CREDENTIALS' }) as Error;
    const email = 'liv@example.com';
    expect(() => changeEmail(state, { email, generation: 1, isProven: false })).toThrow(refused);
    expect(() => changePassword(state, { passwordHash, generation: 1 })).toThrow(refused);
  });

  test.each([
    ['bound to an identity', { passwordHash, providerIdentity: { issuer: 'i', subject: 's' } }],
    ['without a password', { passwordHash: undefined }],
  ])('of an operator %s keeps the address of the provider', (_name, parts) => {
    const change = { email: 'liv@example.com', generation: 1, isProven: false };
    expect(() => changeEmail(operator(parts), change)).toThrow(
      expect.objectContaining({ reason: 'EMAIL_OF_PROVIDER' }),
    );
  });
});

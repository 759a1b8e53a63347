import { unchanged } from '@billing/kernel/transition';
import { type ApiKey, validateKeyInput, isValid, issue, recordUse, revoke } from './api-key';

const now = new Date('2026-03-01T12:00:00.000Z');
const before = new Date('2026-03-01T11:59:59.999Z');
const after = new Date('2026-03-01T12:00:00.001Z');
const input = { name: 'Backend', scopes: [], expiresAt: undefined };
const made = {
  id: 'id',
  hash: 'hash',
  pepper: 'pepper',
  prefix: 'billing_live_',
  last4: 'abcd',
  createdBy: { type: 'SYSTEM' } as const,
};
const knownScopes = new Set([
  'customers:read',
  'customers:write',
  'products:write',
  'api-keys:write',
]);

function aKey(change: Partial<ApiKey> = {}): ApiKey {
  return { ...issue(input, made, { creatorEnvironmentId: 'live' }).state, ...change };
}

describe('the input of a key', () => {
  const asAnybody = { knownScopes, callerScopes: 'ALL' as const, now };

  test('accepts an expiry at the end of the year 9999', () => {
    const expiresAt = new Date('9999-12-31T23:59:59.999Z');
    expect(validateKeyInput({ ...input, expiresAt }, asAnybody)).toMatchObject({ expiresAt });
  });

  test('is returned with the name trimmed and each scope once', () => {
    const scopes = ['customers:read', 'api-keys:write', 'customers:read'];
    expect(validateKeyInput({ name: ' Backend ', scopes, expiresAt: after }, asAnybody)).toEqual({
      name: 'Backend',
      scopes: ['customers:read', 'api-keys:write'],
      expiresAt: after,
    });
  });

  test.each([
    ['no name', { ...input, name: ' ' }, { name: ['Required'] }],
    ['too long a name', { ...input, name: 'x'.repeat(121) }, { name: [expect.any(String)] }],
    [
      'an expiry that four digits of a year cannot say',
      { ...input, expiresAt: new Date('+010000-01-01T00:00:00.000Z') },
      { expiresAt: ['Invalid datetime'] },
    ],
    ['an expiry that has come', { ...input, expiresAt: now }, { expiresAt: [expect.any(String)] }],
    [
      'scopes that are none',
      { ...input, scopes: ['customers:read', 'customers', 'Customers:read', 'customers:all', ''] },
      { scopes: ['1: Invalid scope', '2: Invalid scope', '3: Invalid scope', '4: Invalid scope'] },
    ],
    [
      'scopes of no route',
      { ...input, scopes: ['customers:read', 'foo:read', 'customer:write'] },
      { scopes: ['1: Unknown scope', '2: Unknown scope'] },
    ],
    [
      'more scopes than there are',
      { ...input, scopes: Array.from({ length: 101 }, () => 'customers:read') },
      { scopes: [expect.any(String)] },
    ],
  ])('is refused with %s', (_case, refused, fields) => {
    expect(() => validateKeyInput(refused, asAnybody)).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields }),
    );
  });

  test.each([
    ['one of its own', ['customers:read'], true],
    ['all of its own', ['customers:read', 'products:write'], true],
    ['one that it lacks', ['customers:write'], false],
    ['its own and one that it lacks', ['customers:read', 'customers:write'], false],
    ['all there are', [], false],
  ])('with limited scopes may grant %s: %j %s', (_case, scopes, allowed) => {
    const ask = () =>
      validateKeyInput(
        { ...input, scopes },
        { ...asAnybody, callerScopes: ['customers:read', 'products:write'] },
      );
    if (allowed) expect(ask).not.toThrow();
    else expect(ask).toThrow(expect.objectContaining({ kind: 'permission' }));
  });
});

test.each([[[]], [['customers:read']]])(
  'grants nothing for a caller without scopes: %j',
  (scopes) => {
    const ask = () =>
      validateKeyInput({ ...input, scopes }, { knownScopes, callerScopes: [], now });
    expect(ask).toThrow(expect.objectContaining({ kind: 'permission' }));
  },
);

describe('a key created by another key', () => {
  const limits = { knownScopes, callerScopes: 'ALL' as const, creatorExpiresAt: after, now };

  test.each([
    ['its own expiry if none is requested', undefined, after],
    ['the expiry of its creator', after, after],
  ])('has %s', (_case, expiresAt, expected) => {
    expect(validateKeyInput({ ...input, expiresAt }, limits)).toMatchObject({
      expiresAt: expected,
    });
  });

  test('may expire before its creator', () => {
    const soon = new Date(now.getTime() + 1);
    const later = new Date(now.getTime() + 2);
    expect(
      validateKeyInput({ ...input, expiresAt: soon }, { ...limits, creatorExpiresAt: later }),
    ).toMatchObject({ expiresAt: soon });
  });

  test('is refused when it would expire after its creator', () => {
    const expiresAt = new Date(after.getTime() + 1);
    expect(() => validateKeyInput({ ...input, expiresAt }, limits)).toThrow(
      expect.objectContaining({
        kind: 'invalid_input',
        fields: { expiresAt: ['Must not be after the key that creates it'] },
      }),
    );
  });
});

describe('a key', () => {
  test.each([
    ['without an expiry', aKey(), true],
    ['before its expiry', aKey({ expiresAt: after }), true],
    ['at its expiry', aKey({ expiresAt: now }), false],
    ['after its expiry', aKey({ expiresAt: before }), false],
    ['that was revoked', aKey({ revokedAt: before }), false],
  ])('%s opens its environment: %#', (_case, apiKey, good) => {
    expect(isValid(apiKey, now)).toBe(good);
  });

  test('is revoked immediately and announced', () => {
    expect(revoke(aKey(), now)).toEqual({
      state: aKey({ revokedAt: now }),
      events: [{ type: 'api_key.revoked', data: { apiKeyId: 'id' } }],
      commands: [],
    });
  });

  test('changes nothing and announces nothing when it is revoked twice', () => {
    const revoked = aKey({ revokedAt: before });
    expect(revoke(revoked, now)).toEqual(unchanged(revoked));
  });

  test.each([
    ['that was never used', undefined],
    ['with a recorded use of a minute ago', new Date('2026-03-01T11:59:00.000Z')],
  ])('%s records a use', (_case, lastUsedAt) => {
    expect(recordUse(aKey({ lastUsedAt }), now)).toEqual({
      state: aKey({ lastUsedAt: now }),
      events: [],
      commands: [],
    });
  });

  test.each([
    ['of less than a minute ago', new Date('2026-03-01T11:59:00.001Z')],
    ['seen by a clock that is ahead', after],
  ])('with a recorded use %s is left unchanged', (_case, lastUsedAt) => {
    const used = aKey({ lastUsedAt });
    expect(recordUse(used, now)).toEqual(unchanged(used));
  });
});

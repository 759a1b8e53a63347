import {
  checkVisit,
  linkStatusOf,
  signInToken,
  signInUrl,
  isNonce,
  isReplayable,
  isWellFormedProof,
  type PortalVisit,
  proofHash,
  sessionEnd,
  visitSecret,
} from './portal-session';

const site = { url: 'https://pay.example', secret: 's'.repeat(32) };
const sessionId = '0197a000-0000-7000-8000-000000000001';
const noon = new Date('2026-01-31T12:00:00.000Z');
const later = (ms: number) => new Date(noon.getTime() + ms);
const hourMs = 3_600_000;

const visit: PortalVisit = {
  customerId: 'c',
  returnUrl: null,
  expiresAt: later(hourMs),
  begunAt: noon,
  endedAt: null,
};

test('a session lasts an hour', () => {
  expect(sessionEnd(noon)).toEqual(later(hourMs));
});

test('a session has one sign-in link, the same each time', () => {
  const token = signInToken(sessionId, site);
  expect(isWellFormedProof(token)).toBe(true);
  expect(signInUrl(sessionId, site)).toBe(`https://pay.example/portal/${token}`);
  expect(signInToken(sessionId, { secret: 't'.repeat(32) })).not.toBe(token);
});

test('a visit has a different secret for each token and each nonce', () => {
  const proofs = ['a', 'b'].flatMap((token) =>
    ['1', '2'].map((nonce) => visitSecret({ token, nonce }, site)),
  );
  expect(new Set(proofs).size).toBe(4);
  expect(proofs.every(isWellFormedProof)).toBe(true);
});

test('the stored hash does not contain the token', () => {
  const token = signInToken(sessionId, site);
  expect(proofHash(token)).toMatch(/^[0-9a-f]{64}$/);
  expect(proofHash(token)).not.toContain(token);
});

test.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}.`, `${'a'.repeat(43)}\n`])(
  '%j is not a well-formed token',
  (text) => {
    expect(isWellFormedProof(text)).toBe(false);
  },
);

test.each([
  ['', false],
  ['x', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
])('a nonce %j is valid: %s', (nonce, isOne) => {
  expect(isNonce(nonce)).toBe(isOne);
});

describe('a sign-in link', () => {
  test.each([
    [later(hourMs - 1), false, 'OPEN'],
    [later(hourMs - 1), true, 'USED'],
    [later(hourMs), false, 'EXPIRED'],
    [later(hourMs), true, 'EXPIRED'],
  ])('at %p, used %p, is %s', (now, isUsed, door) => {
    expect(linkStatusOf(visit, { isUsed, now })).toBe(door);
  });
});

describe('a visit', () => {
  test('is valid until its expiry', () => {
    expect(() => {
      checkVisit(visit, later(hourMs - 1));
    }).not.toThrow();
    expect(() => {
      checkVisit(visit, later(hourMs));
    }).toThrow('The portal session has expired');
  });

  test('is over once the customer signs out', () => {
    expect(() => {
      checkVisit({ ...visit, endedAt: noon }, noon);
    }).toThrow('The portal session has expired');
  });

  test('is returned again for a minute to the browser that started it, unless it has ended', () => {
    expect(isReplayable(visit, later(59_999))).toBe(true);
    expect(isReplayable(visit, later(60_000))).toBe(false);
    expect(isReplayable({ ...visit, endedAt: noon }, noon)).toBe(false);
  });
});

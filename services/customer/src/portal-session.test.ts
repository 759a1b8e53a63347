import {
  checkVisit,
  doorOf,
  doorToken,
  doorUrl,
  isNonce,
  isRepeatable,
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

test('the door has an address of its own, the same each time', () => {
  const token = doorToken(sessionId, site);
  expect(isWellFormedProof(token)).toBe(true);
  expect(doorUrl(sessionId, site)).toBe(`https://pay.example/portal/${token}`);
  expect(doorToken(sessionId, { secret: 't'.repeat(32) })).not.toBe(token);
});

test('a visit has another secret for each token and each nonce', () => {
  const proofs = ['a', 'b'].flatMap((token) =>
    ['1', '2'].map((nonce) => visitSecret({ token, nonce }, site)),
  );
  expect(new Set(proofs).size).toBe(4);
  expect(proofs.every(isWellFormedProof)).toBe(true);
});

test('what is stored of a token does not tell it', () => {
  const token = doorToken(sessionId, site);
  expect(proofHash(token)).toMatch(/^[0-9a-f]{64}$/);
  expect(proofHash(token)).not.toContain(token);
});

test.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}.`, `${'a'.repeat(43)}\n`])(
  '%j is no proof',
  (text) => {
    expect(isWellFormedProof(text)).toBe(false);
  },
);

test.each([
  ['', false],
  ['x', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
])('a nonce %j counts: %s', (nonce, isOne) => {
  expect(isNonce(nonce)).toBe(isOne);
});

describe('a door', () => {
  test.each([
    [later(hourMs - 1), false, 'OPEN'],
    [later(hourMs - 1), true, 'USED'],
    [later(hourMs), false, 'EXPIRED'],
    [later(hourMs), true, 'EXPIRED'],
  ])('at %p, used %p, is %s', (now, isUsed, door) => {
    expect(doorOf(visit, { isUsed, now })).toBe(door);
  });
});

describe('a visit', () => {
  test('goes on until its time is over', () => {
    expect(() => {
      checkVisit(visit, later(hourMs - 1));
    }).not.toThrow();
    expect(() => {
      checkVisit(visit, later(hourMs));
    }).toThrow('The portal session has expired');
  });

  test('is over once it was left', () => {
    expect(() => {
      checkVisit({ ...visit, endedAt: noon }, noon);
    }).toThrow('The portal session has expired');
  });

  test('is given again for a minute to whoever began it, unless they have left', () => {
    expect(isRepeatable(visit, later(59_999))).toBe(true);
    expect(isRepeatable(visit, later(60_000))).toBe(false);
    expect(isRepeatable({ ...visit, endedAt: noon }, noon)).toBe(false);
  });
});

import { fromBase32, toBase32 } from './base32';
import { recoveryCode, recoveryCodeHash } from './recovery-codes';
import { codeOfStep, otpauthAddress, stepAt, stepOfCode } from './totp';

const secret = Buffer.from('12345678901234567890');
const at = (seconds: number) => new Date(seconds * 1_000);

// Appendix B of RFC 6238.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the vector of RFC 6238 at %d s is met', (seconds, eight) => {
  expect(codeOfStep(secret, stepAt(at(seconds)), 8)).toBe(eight);
  expect(codeOfStep(secret, stepAt(at(seconds)))).toBe(eight.slice(2));
});

// Appendix D of RFC 4226.
test.each([
  '755224',
  '287082',
  '359152',
  '969429',
  '338314',
  '254676',
  '287922',
  '162583',
  '399871',
  '520489',
])('the vector %s of RFC 4226 is met', (code) => {
  const codes = Array.from({ length: 10 }, (_, step) => codeOfStep(secret, step));
  expect(codes).toContain(code);
});

describe('a code of step 100', () => {
  const code = codeOfStep(secret, 100);

  test.each([
    ['two steps early', 98 * 30 + 29, undefined],
    ['one step early', 99 * 30, 100],
    ['at the start of its step', 100 * 30, 100],
    ['at the end of its step', 100 * 30 + 29, 100],
    ['one step late', 101 * 30 + 29, 100],
    ['two steps late', 102 * 30, undefined],
  ])('%s belongs to the step %#', (_case, seconds, step) => {
    expect(stepOfCode(secret, { code, lastStep: -1 }, at(seconds))).toBe(step);
  });

  test('is valid once, and no earlier code after it', () => {
    expect(stepOfCode(secret, { code, lastStep: 99 }, at(3_000))).toBe(100);
    expect(stepOfCode(secret, { code, lastStep: 100 }, at(3_000))).toBeUndefined();
    expect(stepOfCode(secret, { code, lastStep: 101 }, at(3_000))).toBeUndefined();
  });

  test.each(['', '12345', `${code}0`, ` ${code}`, 'abcdef', '１２３４５６'])(
    'is not the text "%s"',
    (typed) => {
      expect(stepOfCode(secret, { code: typed, lastStep: -1 }, at(3_000))).toBeUndefined();
    },
  );
});

// RFC 4648, in lengths without padding.
test.each([
  ['', ''],
  ['fooba', 'MZXW6YTB'],
  ['12345678901234567890', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
])('base32 of "%s" is "%s"', (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded);
  expect(fromBase32(encoded).toString()).toBe(text);
});

test('the address for apps names issuer and account', () => {
  const address = otpauthAddress({ issuer: 'A & B', account: 'ada@example.com', secret: 'GEZD' });
  expect(address).toBe(
    'otpauth://totp/A%20%26%20B:ada%40example.com?secret=GEZD&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30',
  );
});

test('a recovery code is the same in any case, with and without hyphens', () => {
  const code = recoveryCode(Buffer.from('1234567890'));
  expect(code).toBe('gezd-gnbv-gy3t-qojq');
  const hashes = [code, 'GEZDGNBVGY3TQOJQ', ' gezd gnbv gy3t qojq '].map(recoveryCodeHash);
  expect(new Set(hashes).size).toBe(1);
});

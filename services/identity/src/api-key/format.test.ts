import { crc32, formatKey, isWellFormed } from './format';

const secret = Uint8Array.from({ length: 32 }, (_value, index) => index);
const key = formatKey('SANDBOX', secret);

describe('the text of a key', () => {
  test.each([
    ['LIVE', 'billing_live_'],
    ['SANDBOX', 'billing_test_'],
  ] as const)('of a %s environment begins with %s', (kind, prefix) => {
    const text = formatKey(kind, secret);
    expect(text).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{49}$`));
    expect(isWellFormed(text)).toBe(true);
  });

  test('holds all bits of the secret: the smallest and the largest fit, and adjacent ones differ', () => {
    const least = formatKey('LIVE', new Uint8Array(32));
    const greatest = formatKey('LIVE', new Uint8Array(32).fill(255));
    const next = formatKey(
      'LIVE',
      Uint8Array.from({ length: 32 }, (_v, i) => (i === 31 ? 1 : 0)),
    );

    expect(least.slice('billing_live_'.length, -6)).toBe('0'.repeat(43));
    expect(next.slice('billing_live_'.length, -6)).toBe(`${'0'.repeat(42)}1`);
    expect(greatest).toHaveLength(least.length);
    expect([least, next, greatest].every(isWellFormed)).toBe(true);
  });

  test('needs a secret of 32 bytes', () => {
    expect(() => formatKey('LIVE', new Uint8Array(31))).toThrow('32 bytes');
  });
});

describe('a mistyped key', () => {
  test('is detected at every position of the wrong character', () => {
    for (let index = 'billing_test_'.length; index < key.length; index += 1) {
      const other = key[index] === 'x' ? 'y' : 'x';
      expect(isWellFormed(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
  });

  test.each([
    ['of the other kind of environment', key.replace('_test_', '_live_')],
    ['cut short', key.slice(0, -1)],
    ['with a character more', `${key}0`],
    ['with a line break', `${key}\n`],
    ['with a prefix of its own', `x${key}`],
    ['empty', ''],
  ])('is refused when %s', (_case, text) => {
    expect(isWellFormed(text)).toBe(false);
  });
});

describe('the checksum', () => {
  test('is the standard CRC32', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(crc32('')).toBe(0);
  });

  test('has six base62 digits, padded on the left', () => {
    expect(formatKey('LIVE', new Uint8Array(32)).slice(-6)).toMatch(/^[0-9A-Za-z]{6}$/);
    // 62^5 < 2^32: the first digit is 0 to 4 for every CRC32.
    expect(key.slice(-6)).toMatch(/^[0-4]/);
  });
});

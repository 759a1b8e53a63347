import type { EnvironmentKind } from '../environment/environment';

/** Prefixes that show people and scanners the kind of environment that a key opens. */
export const keyPrefixes: Readonly<Record<EnvironmentKind, string>> = {
  LIVE: 'billing_live_',
  SANDBOX: 'billing_test_',
};

/** Number of random bytes of a key; its characters contain all their bits. */
export const keySecretBytes = 32;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^43 > 2^256 and 62^6 > 2^32: the smallest lengths that hold the secret and a CRC32.
const secretLength = 43;
const checksumLength = 6;
const shape = /^billing_(?:live|test)_[0-9A-Za-z]{49}$/;

/**
 * Formats the whole key: prefix, secret and a checksum that detects a mistyped key without a
 * database query.
 */
export function formatKey(kind: EnvironmentKind, secret: Uint8Array): string {
  if (secret.length !== keySecretBytes) throw new Error('The secret of a key has 32 bytes');
  let number = 0n;
  for (const byte of secret) number = number * 256n + BigInt(byte);
  const body = keyPrefixes[kind] + toBase62(number, secretLength);
  return body + checksumOf(body);
}

/** True when the text is formatted like a key; false means that no such key was ever created. */
export function isWellFormed(key: string): boolean {
  if (!shape.test(key)) return false;
  return checksumOf(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
}

/** CRC32 of the whole text before it. */
function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}

function toBase62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) {
    digits = alphabet.charAt(Number(rest % 62n)) + digits;
  }
  return digits.padStart(length, '0');
}

/** CRC-32/ISO-HDLC, as in zip and PNG, of an ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

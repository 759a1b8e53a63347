import type { EnvironmentKind } from './environment';

/** How a key begins, so that people and scanners see what it opens. */
export const keyPrefixes: Readonly<Record<EnvironmentKind, string>> = {
  LIVE: 'billing_live_',
  SANDBOX: 'billing_test_',
};

/** Random bytes of a key; all their bits are in its characters. */
export const keySecretBytes = 32;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^43 > 2^256 and 62^6 > 2^32: the least lengths that hold the secret and a CRC32.
const secretLength = 43;
const checksumLength = 6;
const shape = /^billing_(?:live|test)_[0-9A-Za-z]{49}$/;

/** The whole key: prefix, secret and a checksum by which a mistyped key is known without asking the database. */
export function formatKey(kind: EnvironmentKind, secret: Uint8Array): string {
  if (secret.length !== keySecretBytes) throw new Error('The secret of a key has 32 bytes');
  let number = 0n;
  for (const byte of secret) number = number * 256n + BigInt(byte);
  const body = keyPrefixes[kind] + toBase62(number, secretLength);
  return body + checksumOf(body);
}

/** Whether the text can be a key at all: false means that no key was ever made that reads so. */
export function isWellFormed(key: string): boolean {
  if (!shape.test(key)) return false;
  return checksumOf(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
}

/** CRC32 of everything before it. */
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

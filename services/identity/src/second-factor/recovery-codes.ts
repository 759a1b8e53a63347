import { createHash } from 'node:crypto';
import { toBase32 } from './base32';

/** Codes that an operator gets with a second factor. */
export const recoveryCodesCount = 10;
/** Random bytes of a code. 80 bits cannot be found from a hash, so it needs no salt and no key. */
export const recoveryCodeBytes = 10;

/** Writes a code as `abcd-efgh-ijkl-mnop`. */
export function recoveryCode(bytes: Buffer): string {
  return (toBase32(bytes).toLowerCase().match(/.{4}/g) ?? []).join('-');
}

/** Stored form of a code, as typed: case, blanks and hyphens do not count. */
export function recoveryCodeHash(typed: string): string {
  const letters = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  return createHash('sha256').update(`recovery code ${letters}`).digest('base64url');
}

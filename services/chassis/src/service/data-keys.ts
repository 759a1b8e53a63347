import { createCipheriv, createDecipheriv } from 'node:crypto';
import { randomSecret } from '../ids';

/** An AES-256 key and the id that prefixes texts sealed with it. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyPattern = /^([A-Za-z0-9_-]{1,20}):([A-Za-z0-9+/]{43}=)$/;
const sealedPattern = /^sealed:([A-Za-z0-9_-]{1,20}):([\w-]+)$/;

/**
 * Parses `id:base64,id:base64`, newest first. Undefined if a key is malformed or an id occurs
 * twice.
 */
export function parseDataKeys(text: string): readonly DataKey[] | undefined {
  const keys: DataKey[] = [];
  for (const one of text.split(',')) {
    const [, id, base64] = keyPattern.exec(one.trim()) ?? [];
    if (id === undefined || base64 === undefined) return undefined;
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== keyBytes || keys.some((key) => key.id === id)) return undefined;
    keys.push({ id, bytes });
  }
  return keys;
}

/**
 * Encrypts stored texts, so that a copy of the database does not reveal them. The newest key seals;
 * every key opens.
 */
export class DataKeys {
  constructor(private readonly keys: readonly DataKey[]) {}

  seal(text: string): string {
    const newest = this.newest();
    const nonce = randomSecret(nonceBytes);
    const cipher = createCipheriv(algorithm, newest.bytes, nonce);
    const bytes = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
    return `sealed:${newest.id}:${Buffer.concat(bytes).toString('base64url')}`;
  }

  /** Pattern of texts that are sealed with an unknown key. */
  get unknownPattern(): string {
    return `^sealed:(?!(?:${this.keys.map(({ id }) => id).join('|')}):)`;
  }

  /**
   * Pattern of texts that are not sealed with the newest key, including unsealed texts of earlier
   * releases.
   */
  get outdatedPattern(): string {
    return `^(?!sealed:${this.newest().id}:).`;
  }

  /** Seals a stored text with the newest key. */
  reseal(stored: string): string {
    return this.seal(this.open(stored));
  }

  /**
   * Decrypts a sealed text. An unsealed text of earlier releases is returned unchanged. Throws if
   * the key is unknown.
   */
  open(stored: string): string {
    const [, id, base64] = sealedPattern.exec(stored) ?? [];
    if (id === undefined || base64 === undefined) return stored;
    const key = this.keys.find((one) => one.id === id);
    if (key === undefined) throw new Error(`No key ${id} to decrypt with`);
    const bytes = Buffer.from(base64, 'base64url');
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes, -tagBytes)),
      decipher.final(),
    ]).toString();
  }

  private newest(): DataKey {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('There is no key to encrypt with');
    return newest;
  }
}

/** Returns the id of the key that sealed a text; undefined for an unsealed text. */
export function dataKeyIdOf(stored: string): string | undefined {
  return sealedPattern.exec(stored)?.[1];
}

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { randomSecret } from './ids';

/** A key of AES-256 and the id that stands in front of what it has sealed. */
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

/** Reads `id:base64,id:base64`, the newest first. Undefined where a key is malformed or an id stands twice. */
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

/** Encrypts texts that are stored, so that a copy of the database does not tell them. The newest key seals, every key opens. */
export class DataKeys {
  constructor(private readonly keys: readonly DataKey[]) {}

  seal(text: string): string {
    const newest = this.newest();
    const nonce = randomSecret(nonceBytes);
    const cipher = createCipheriv(algorithm, newest.bytes, nonce);
    const bytes = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
    return `sealed:${newest.id}:${Buffer.concat(bytes).toString('base64url')}`;
  }

  /** Matches texts that are sealed with a key that is not here. */
  get unknownPattern(): string {
    return `^sealed:(?!(?:${this.keys.map(({ id }) => id).join('|')}):)`;
  }

  /** Matches texts that are not sealed with the newest key, those included that an earlier release stored as they are. */
  get outdatedPattern(): string {
    return `^(?!sealed:${this.newest().id}:).`;
  }

  /** Seals a stored text with the newest key. */
  reseal(stored: string): string {
    return this.seal(this.open(stored));
  }

  /** The sealed text; a text of earlier releases, which was stored as it is, comes back unchanged. Throws where its key is not there. */
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

/** The id of the key that a text is sealed with; undefined for a text that is not sealed. */
export function dataKeyIdOf(stored: string): string | undefined {
  return sealedPattern.exec(stored)?.[1];
}

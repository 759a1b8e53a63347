import { createHash, randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { parse, stringify, v5, v7 } from 'uuid';

// Namespace of all derived ids. Changing it would make every idempotent step run again.
const namespace = '6d0c4b8e-9f2a-5c7d-8e31-2b4f60a79c15';

/** Creates a UUID v7, ordered by real time in every environment. */
export function newId(): string {
  return v7();
}

/**
 * Derives a UUID v5 from a natural key. The same parts always give the same id, so that a step that
 * may be retried finds what it created before. The parts are joined as JSON, so that ["a","bc"] and
 * ["ab","c"] differ. The environment's id comes first.
 */
export function derivedId(...parts: readonly (string | number)[]): string {
  return v5(JSON.stringify(parts), namespace);
}

/** True for a UUID v7, which sorts by time. */
export function isTimed(id: string): boolean {
  return id[14] === '7';
}

// The time, the version, and the bits that order ids of one millisecond, out of 16 bytes.
const timedBytes = 11;

/**
 * Derives a UUID v7 with the time of the seed, itself a v7. The same seed and noun always give the
 * same id.
 */
export function timedDerivedId(seed: string, noun: string): string {
  const bytes = parse(seed);
  const hash = createHash('sha256').update(seed).update(noun).digest();
  bytes.set(hash.subarray(0, bytes.length - timedBytes), timedBytes);
  return stringify(bytes);
}

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True if the text is a UUID in its usual form, of any version. */
export function isId(text: string): boolean {
  return uuidForm.test(text);
}

/** Returns random bytes for secrets. */
export function randomSecret(bytes: number): Buffer {
  return randomBytes(bytes);
}

// Random bytes are drawn in blocks, because a system call per id would dominate its cost.
const pool = Buffer.alloc(16 * 1024);
let poolUsed = pool.length;

/** Returns this many random bytes in hexadecimal, for ids that are not secret. */
export function randomHex(bytes: number): string {
  if (poolUsed + bytes > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  poolUsed += bytes;
  return pool.toString('hex', poolUsed - bytes, poolUsed);
}

/**
 * Creates a UUID for a request that came without an id. Stored ids at most derive from it, so it
 * need not be ordered by time.
 */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * Returns a random factor between 1 - `spread` and 1 + `spread`, so that retries of many callers do
 * not coincide.
 */
export function jitter(spread: number): number {
  return 1 - spread + 2 * spread * Math.random();
}

/** Returns an id that sorts before every v7 id created at or after the given real time. */
export function earliestIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Returns the time of a v7 id. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16));
}

import { hash } from 'node:crypto';

// Of 32 series one, and of its hours one in 32: about one of a thousand hours.
const odds = 32;

/** Chooses one in 32 names. Another seed chooses others. */
export function isSampled(seed: string, name: string): boolean {
  return hash('sha256', `${seed}:${name}`, 'buffer').readUInt32BE(0) % odds === 0;
}

import { hash } from 'node:crypto';

// One of 32 series, and one of 32 of its hours: about one of a thousand hours.
const odds = 32;

/** Chooses one in 32 names. Another seed chooses others. */
export function isSampled(seed: string, name: string): boolean {
  return hash('sha256', `${seed}:${name}`, 'buffer').readUInt32BE(0) % odds === 0;
}

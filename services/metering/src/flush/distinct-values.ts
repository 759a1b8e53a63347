import { hash } from 'node:crypto';

/** Bytes that stand for a distinct value. */
export const valueBytes = 16;
const countBytes = 4;
/** Bytes of a packed value with its count. */
export const packedBytes = valueBytes + countBytes;

/**
 * First 16 bytes of SHA-256 of meter and value. Two different values are equal with a chance below
 * 10^-20 at 10^9 values.
 */
export function hashedValue(meterId: string, value: string): Buffer {
  return hash('sha256', `${meterId}:${value}`, 'buffer').subarray(0, valueBytes);
}

/**
 * Packs values with the number of events that carry each, sorted by value. The number is a signed
 * 32-bit integer: a void takes an event away.
 */
export function packValues(values: readonly Buffer[]): Buffer {
  const sorted = values.toSorted((a, b) => a.compare(b));
  const packed: Buffer[] = [];
  for (let start = 0; start < sorted.length;) {
    const value = sorted[start] ?? Buffer.alloc(0);
    let end = start;
    while (sorted[end]?.equals(value) === true) end += 1;
    const count = Buffer.alloc(countBytes);
    count.writeInt32BE(end - start);
    packed.push(value, count);
    start = end;
  }
  return Buffer.concat(packed);
}

const hashPattern = /^[0-9a-f]{32}$/;

/**
 * Reads the hash that is left of an erased value. It is bytes, so that no text of a caller equals
 * it. Anything else that is stored in its place counts as a text, because counting must not fail.
 */
export function erasedValue(stored: string): Buffer | string {
  return hashPattern.test(stored) ? Buffer.from(stored, 'hex') : stored;
}

// No value of a caller begins so by chance.
const mark = '\u0000erased:';

/** Stands for a distinct value that was erased; `hash` is its hash, in hexadecimal digits. */
export function erasedValue(hash: string): string {
  return `${mark}${hash}`;
}

/** Hash of an erased value; undefined for any other value. */
export function hashOfErased(value: string): string | undefined {
  return value.startsWith(mark) ? value.slice(mark.length) : undefined;
}

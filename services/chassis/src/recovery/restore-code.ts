// Crockford's alphabet: no letters that read like digits, and none that form words.
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const msOfMinute = 60_000;

/**
 * Code of a restore: the minutes since 1970 in base 32. Stands in the numbers of documents and in
 * the events that the system makes after the restore.
 */
export function restoreCodeAt(time: Date): string {
  let rest = Math.floor(time.getTime() / msOfMinute);
  let code = '';
  do {
    code = `${digits.charAt(rest % digits.length)}${code}`;
    rest = Math.floor(rest / digits.length);
  } while (rest > 0);
  return code;
}

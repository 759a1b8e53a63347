// Crockford's alphabet: no letters that read like digits, and none that form words.
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const msOfMinute = 60_000;

/** A restore code and the number of the first event that a subject announced under it. */
interface CodeStart {
  readonly code: string;
  readonly from: number;
}

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

/**
 * Code of the last restore before an event of a subject; null before any restore. `codes` are those
 * of the subject, oldest first, each with the number of its first event: `WH5C2:5,WJWQ0:9`. Absent:
 * none. Those of a later event of the subject say the same.
 */
export function restoreCodeOf(codes: string | undefined, sequence: number): string | null {
  return startsOf(codes).findLast(({ from }) => from <= sequence)?.code ?? null;
}

/** Codes of a subject after its next event; undefined if it has none. */
export function restoreCodesAfter(
  codes: string | undefined,
  { code, sequence }: { readonly code: string | null; readonly sequence: number },
): string | undefined {
  if (code === null || restoreCodeOf(codes, sequence) === code) return codes;
  const start = `${code}:${String(sequence)}`;
  return codes === undefined ? start : `${codes},${start}`;
}

function startsOf(codes: string | undefined): CodeStart[] {
  if (codes === undefined) return [];
  return codes.split(',').map((start) => {
    const [code = '', from] = start.split(':');
    return { code, from: Number(from) };
  });
}

const textLengthMax = 255;

/**
 * A text that an address or a hidden field carries; undefined where it is not there or none of
 * ours.
 */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax
    ? value
    : undefined;
}

/** Which attempt a challenge was about, and what the payer said; no answer where the bank asked. */
export function readAttempt(form: ReadonlyMap<string, string>): {
  attempt: number;
  approved: boolean | undefined;
} {
  const attempt = /^\d{1,6}$/.exec(form.get('attempt') ?? '')?.[0];
  const answer = form.get('answer');
  return {
    attempt: Number(attempt ?? 0),
    approved: answer === undefined ? undefined : answer === 'approve',
  };
}

const textLengthMax = 255;

/** Text of a query parameter or hidden field; undefined if missing or invalid. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax
    ? value
    : undefined;
}

/** Attempt of a challenge with the payer's answer; no answer if the bank asked. */
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

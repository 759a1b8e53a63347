// JSON forms of proto fields: an absent value is null, a time is ISO 8601 UTC with milliseconds, an
// amount is a number.

/** Converts an amount in the smallest unit. The largest amount is far below 2^53. */
export function toJsonAmount(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number)) throw new Error(`Amount ${String(amount)} is out of range`);
  return number;
}

/** Converts a required time. */
export function toJsonTime(time: Date | undefined): string {
  if (time === undefined) throw new Error('A required time is missing');
  return time.toISOString();
}

/** Converts an optional time. */
export function toJsonOptionalTime(time: Date | undefined): string | null {
  return time === undefined ? null : time.toISOString();
}

/** Converts metadata; `{}` if there is none. */
export function toJsonMetadata(
  metadata: Record<string, unknown> | undefined,
): Record<string, unknown> {
  return metadata ?? {};
}

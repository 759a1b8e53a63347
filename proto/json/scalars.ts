// How the kinds of proto fields look in JSON: an absent value is null, a time is ISO 8601 UTC with milliseconds, an amount is a number.

/** An amount in the smallest unit; the largest one is far below 2^53. */
export function toJsonAmount(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number)) throw new Error(`Amount ${String(amount)} is out of range`);
  return number;
}

/** A time that must be there. */
export function toJsonTime(time: Date | undefined): string {
  if (time === undefined) throw new Error('A required time is missing');
  return time.toISOString();
}

/** A time that may be absent. */
export function toJsonOptionalTime(time: Date | undefined): string | null {
  return time === undefined ? null : time.toISOString();
}

/** Metadata, `{}` when there is none. */
export function toJsonMetadata(
  metadata: Record<string, unknown> | undefined,
): Record<string, unknown> {
  return metadata ?? {};
}

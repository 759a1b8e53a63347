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

/**
 * The REST name of a proto enum's value. The generated names carry the enum's own as prefix: BILLING_INTERVAL_MONTHLY is MONTHLY. A value
 * this version does not know is an error, not a guess.
 */
export function toJsonEnum(
  generated: Readonly<Record<number, string>>,
  prefix: string,
  value: number,
): string {
  const name = generated[value];
  if (name === undefined || !name.startsWith(prefix) || value === 0) {
    throw new Error(`${prefix}${String(value)} has no JSON form`);
  }
  return name.slice(prefix.length);
}

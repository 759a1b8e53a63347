import { z } from 'zod';

// Value types of JSON forms, and their conversions from proto fields: an absent value is null.

export const id = z.uuid().meta({ examples: ['01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f'] });
export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'UTC.', examples: ['2026-03-31T00:00:00.000Z'] });
export const amount = z
  .int()
  .min(0)
  .max(99_999_999_999)
  .meta({ description: "In the currency's smallest unit.", examples: [2900] });
export const url = z.string().meta({ format: 'uri' });
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .meta({ description: 'ISO 4217.', examples: ['USD'] });
export const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ description: 'Decimal number as a string.', examples: ['12.5'] });
export const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .meta({ description: 'Your own key-value data.', examples: [{ plan: 'gold' }] });

/** Times of the creation and of the latest change of a resource. */
export const timestamps = { createdAt: time, updatedAt: time };

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

/** Converts metadata; `{}` if there is none. Services store scalars only. */
export function toJsonMetadata(
  sent: Readonly<Record<string, unknown>> | undefined,
): z.infer<typeof metadata> {
  return (sent ?? {}) as z.infer<typeof metadata>;
}

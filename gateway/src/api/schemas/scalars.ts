import { z } from 'zod';
import 'zod-openapi';

// Value types of responses, formatted the same way across the API.

export const id = z.uuid().meta({ examples: ['01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f'] });
export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'UTC.', examples: ['2026-03-31T00:00:00.000Z'] });
export const amount = z
  .int()
  .min(0)
  .max(99_999_999_999)
  .meta({ description: "In the currency's smallest unit.", examples: [2900] });
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
export const collectionMethod = z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']);

/** Times of the creation and of the latest change of a resource. */
export const timestamps = { createdAt: time, updatedAt: time };

/** Envelope of a paginated list. */
export function listOf<T extends z.ZodType>(item: T, name: string) {
  return z
    .object({
      data: z.array(item),
      total: z.int().min(0).meta({ description: 'Number of items on all pages.' }),
      page: z.int().min(1),
      perPage: z.int().min(1).max(100),
    })
    .meta({ id: name });
}

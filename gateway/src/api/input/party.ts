import { z } from 'zod';
import type { TaxId } from '@billing/proto/billing/customer/v1/customer';
import { taxIdTypes } from '@billing/proto/values/customer';
import { optional } from './input';

// Inputs that customers and sellers share.

const addressPart = optional(z.string().max(200));

/** Postal address. */
export const address = z.object({
  line1: addressPart,
  line2: addressPart,
  city: addressPart,
  state: addressPart,
  postalCode: addressPart,
  country: addressPart,
});

/** Tax ids of a party. */
export const taxIds = z
  .array(
    z.object({
      type: z.enum(['EU_VAT', 'GB_VAT', 'CH_VAT', 'NO_VAT', 'OTHER']),
      value: z.string(),
    }),
  )
  .max(5);

/** Tax ids in the form of the services; none for absent ones. */
export function toProtoTaxIds(sent: z.infer<typeof taxIds> | undefined): TaxId[] {
  return (sent ?? []).map(({ type, value }) => ({ type: taxIdTypes.valueOf(type), value }));
}

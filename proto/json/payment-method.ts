import { z } from 'zod';
import type { PaymentMethod } from '../gen/billing/checkout/v1/payment_method';
import { id, time, toJsonTime } from './scalars';

/** Only webhooks show it, so it is no schema of the API. */
export const PaymentMethodJson = z.object({
  id,
  brand: z.string().meta({ examples: ['visa'] }),
  last4: z.string().meta({ examples: ['4242'] }),
  expiryMonth: z.int().min(1).max(12).nullable(),
  expiryYear: z.int().nullable(),
  isDefault: z.boolean().meta({ description: 'True if invoices are charged to it.' }),
  createdAt: time,
});
type PaymentMethodJson = z.infer<typeof PaymentMethodJson>;

/** Payment method in webhooks. */
export function toJsonPaymentMethod(method: PaymentMethod): PaymentMethodJson {
  return {
    id: method.id,
    brand: method.brand,
    last4: method.last4,
    expiryMonth: method.expiry?.month ?? null,
    expiryYear: method.expiry?.year ?? null,
    isDefault: method.isDefault,
    createdAt: toJsonTime(method.createdAt),
  };
}

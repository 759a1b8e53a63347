import { z } from 'zod';
import type { PortalSettings as ProtoPortalSettings } from '../gen/billing/customer/v1/portal';
import { id, time, toJsonOptionalTime } from './scalars';

export const PortalSettings = z
  .object({
    products: z.array(id).meta({ description: 'Products that customers may change to.' }),
    quantity: z.boolean().meta({ description: 'Whether customers may change the quantity.' }),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'PortalSettings' });
type PortalSettings = z.infer<typeof PortalSettings>;

/** Portal settings in REST responses. */
export function toJsonPortalSettings(settings: ProtoPortalSettings): PortalSettings {
  const { products, quantity, updatedAt } = settings;
  return { products, quantity, updatedAt: toJsonOptionalTime(updatedAt) };
}

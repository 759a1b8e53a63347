import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  CATALOG_ADDRESS: z.string().min(1),
  CUSTOMER_ADDRESS: z.string().min(1),
  CHECKOUT_ADDRESS: z.string().min(1),
  DISCOUNT_ADDRESS: z.string().min(1),
  METERING_ADDRESS: z.string().min(1),
});

export type SubscriptionConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): SubscriptionConfiguration {
  return readConfiguration(configurationSchema, env);
}

import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const address = z.string().min(1);

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  CATALOG_ADDRESS: address,
  CHECKOUT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
});

export type DiscountConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): DiscountConfiguration {
  return readConfiguration(configurationSchema, env);
}

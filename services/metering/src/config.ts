import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  CUSTOMER_ADDRESS: z.string().min(1),
  SUBSCRIPTION_ADDRESS: z.string().min(1),
});

export type MeteringConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): MeteringConfiguration {
  return readConfiguration(configurationSchema, env);
}

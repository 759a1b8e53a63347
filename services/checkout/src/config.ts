import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: z.string().min(1),
});

export type CheckoutConfiguration = z.infer<typeof configurationSchema>;

/** Reads the process's environment variables; reports all problems at once. */
export function readConfig(env: Record<string, string | undefined>): CheckoutConfiguration {
  return readConfiguration(configurationSchema, env);
}

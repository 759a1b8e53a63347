import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

export const configurationSchema = z.object(serviceConfigurationShape);

export type CustomerConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): CustomerConfiguration {
  return readConfiguration(configurationSchema, env);
}

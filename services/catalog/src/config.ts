import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  METERING_ADDRESS: z.string().min(1),
});

export type CatalogConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): CatalogConfiguration {
  return readConfiguration(configurationSchema, env);
}

import { z } from 'zod';
import {
  hostedPageShape,
  readConfiguration,
  serviceConfigurationShape,
} from '@billing/chassis/configuration';

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  ...hostedPageShape,
  CHECKOUT_ADDRESS: z.string().min(1),
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  METERING_ADDRESS: z.string().min(1),
  NOTIFIER_ADDRESS: z.string().min(1),
  IDENTITY_ADDRESS: z.string().min(1),
});

export type CustomerConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): CustomerConfiguration {
  return readConfiguration(configurationSchema, env);
}

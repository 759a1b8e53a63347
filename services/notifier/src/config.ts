import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const deliveryLeaseMsDefault = 30_000;

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  CHECKOUT_ADDRESS: z.string().min(1),
  /** Lets the endpoints of sandboxes, never those of live environments, be on this machine. */
  ALLOW_LOOPBACK_IN_SANDBOXES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** How long a delivery waits for a sender that died. Longer than an attempt may take, else a slow endpoint is sent to twice. */
  DELIVERY_LEASE_MS: z
    .string()
    .regex(/^\d{4,6}$/, 'must be 1000 to 999999 milliseconds')
    .transform(Number)
    .default(deliveryLeaseMsDefault),
});

export type NotifierConfiguration = z.infer<typeof configurationSchema>;

/** Reads the process's environment; reports all problems at once. */
export function readConfig(env: Record<string, string | undefined>): NotifierConfiguration {
  return readConfiguration(configurationSchema, env);
}

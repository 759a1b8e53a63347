import { z } from 'zod';
import { parseDataKeys } from '@billing/chassis/data-keys';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const deliveryLeaseMsDefault = 30_000;

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  CHECKOUT_ADDRESS: z.string().min(1),
  /** By which endpoints' secrets are encrypted where they are stored: `id:base64` of 32 bytes each, the newest first. */
  DATA_KEYS: z.string().transform((text, context) => {
    const keys = parseDataKeys(text);
    if (keys !== undefined) return keys;
    context.addIssue('must be id:base64 of 32 bytes, several separated by commas');
    return z.NEVER;
  }),
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

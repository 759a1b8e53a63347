import { z } from 'zod';
import { parseDataKeys } from '@billing/chassis/data-keys';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const deliveryLeaseMsDefault = 30_000;

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  CHECKOUT_ADDRESS: z.string().min(1),
  CATALOG_ADDRESS: z.string().min(1),
  CUSTOMER_ADDRESS: z.string().min(1),
  DISCOUNT_ADDRESS: z.string().min(1),
  METERING_ADDRESS: z.string().min(1),
  /**
   * Keys that encrypt the stored endpoint secrets: `id:base64` of 32 bytes each, the newest first.
   */
  DATA_KEYS: z.string().transform((text, context) => {
    const keys = parseDataKeys(text);
    if (keys !== undefined) return keys;
    context.addIssue('must be id:base64 of 32 bytes, several separated by commas');
    return z.NEVER;
  }),
  /**
   * Allows loopback addresses for the endpoints of sandboxes, never for those of live environments.
   */
  ALLOW_LOOPBACK_IN_SANDBOXES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** HTTP proxy that all webhooks are sent through; absent: none. */
  WEBHOOK_PROXY: z
    .url({ protocol: /^http$/, error: 'must be an http:// address' })
    .transform((url) => new URL(url))
    .optional(),
  /**
   * Lease of a delivery whose sender may have died. Must exceed the longest attempt; a shorter
   * lease sends to slow endpoints twice.
   */
  DELIVERY_LEASE_MS: z
    .string()
    .regex(/^\d{4,6}$/, 'must be 1000 to 999999 milliseconds')
    .transform(Number)
    .default(deliveryLeaseMsDefault),
});

export type NotifierConfiguration = z.infer<typeof configurationSchema>;

/** Parses the process's environment; reports all problems in one error. */
export function readConfig(env: Record<string, string | undefined>): NotifierConfiguration {
  return readConfiguration(configurationSchema, env);
}

import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const address = z.string().min(1);

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: address,
  /** The gateway as payers reach it: what the addresses of public pages begin with. */
  HOSTED_PAGE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .transform((url) => url.replace(/\/+$/, '')),
  // The key of an HMAC-SHA256 is as strong as its hash from 32 bytes on.
  HOSTED_PAGE_SECRET: z.string().min(32, 'must have at least 32 characters'),
});

export type CheckoutConfiguration = z.infer<typeof configurationSchema>;

/** Reads the process's environment variables; reports all problems at once. */
export function readConfig(env: Record<string, string | undefined>): CheckoutConfiguration {
  return readConfiguration(configurationSchema, env);
}

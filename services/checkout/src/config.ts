import { z } from 'zod';
import {
  hostedPageShape,
  readConfiguration,
  serviceConfigurationShape,
  wholeDays,
} from '@billing/chassis/configuration';

const address = z.string().min(1);

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  ...hostedPageShape,
  CATALOG_ADDRESS: address,
  CUSTOMER_ADDRESS: address,
  DISCOUNT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
  /** Days after the first failure of an invoice on which it is charged again. */
  DUNNING_RETRY_DAYS: z
    .string()
    .default('3,7,14')
    .transform((days) => days.split(',').map(Number))
    .refine(isSchedule, 'must be rising whole days from 1 to 365, at most 10, e.g. 3,7,14'),
  /** Days of real time for which expired checkout sessions are kept. */
  RETENTION_SESSIONS: wholeDays(1).default(400),
  /** Key for charges of live environments at Stripe; absent: live environments have no provider. */
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^[rs]k_(live|test)_\w+$/, 'must be a secret or a restricted key of Stripe')
    .optional(),
  /** Verifies Stripe's webhooks; absent: all of them are refused. */
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'must be the signing secret of an endpoint at Stripe')
    .optional(),
  /** Replaces Stripe's own address, e.g. with a proxy. */
  STRIPE_API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional(),
});

function isSchedule(days: readonly number[]): boolean {
  const isRising = days.every((day, index) => day > (days[index - 1] ?? 0));
  return isRising && days.length <= 10 && days.every((day) => Number.isInteger(day) && day <= 365);
}

export type CheckoutConfiguration = z.infer<typeof configurationSchema>;

/** Reads the environment variables of the process; reports all problems together. */
export function readConfig(env: Record<string, string | undefined>): CheckoutConfiguration {
  return readConfiguration(configurationSchema, env);
}

import { z } from 'zod';
import {
  dataKeysVariable,
  readConfiguration,
  serviceConfigurationShape,
  wholeDays,
} from '@billing/chassis/configuration';

const address = z.string().min(1);

// Short, because an advance pauses for this time after its worker died; long enough that a slow
// database never costs a lease.
const leaseMsDefault = 5_000;
// OWASP's minimum with three lanes; a hash takes 32 MiB and some tenths of a second.
const passwordHashCostDefault = 15;

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  // The key of an HMAC-SHA256 is as strong as its hash from 32 bytes on.
  API_KEY_PEPPER: z.string().min(32, 'must have at least 32 characters'),
  /**
   * The previous pepper: secrets stored with it stay valid, and a key is stored under the new one
   * by its next use.
   */
  API_KEY_PEPPER_OLD: z.string().min(32, 'must have at least 32 characters').optional(),
  /**
   * Encrypt the secrets of operators' second factors. Absent: no operator can set one up.
   */
  DATA_KEYS: dataKeysVariable.optional(),
  JUMP_LEASE_MS: z
    .string()
    .regex(/^\d{3,6}$/, 'must be 100 to 999999 milliseconds')
    .transform(Number)
    .default(leaseMsDefault),
  /**
   * Cost of operators' password hashes: two to the power of it is the cost of scrypt. Smaller
   * values are for tests.
   */
  PASSWORD_HASH_COST: z
    .string()
    .regex(/^1\d$/, 'must be 10 to 19')
    .transform(Number)
    .default(passwordHashCostDefault),
  /** `stdout` copies each entry of the audit log as a log line. */
  AUDIT_LOG: z.enum(['none', 'stdout']).default('none'),
  /** Days of real time for which entries of the audit log are kept. */
  RETENTION_AUDIT_DAYS: wholeDays(1).default(400),
  /** Days of real time for which requests to the public API are kept. */
  RETENTION_REQUESTS: wholeDays(1, 90).default(7),
  CUSTOMER_ADDRESS: address,
  CATALOG_ADDRESS: address,
  DISCOUNT_ADDRESS: address,
  CHECKOUT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
  METERING_ADDRESS: address,
  NOTIFIER_ADDRESS: address,
});

export type IdentityConfiguration = z.infer<typeof configurationSchema>;

export function readConfig(env: Record<string, string | undefined>): IdentityConfiguration {
  return readConfiguration(configurationSchema, env);
}

import { testServiceConfiguration } from '@billing/chassis/testing';
import type { IdentityConfiguration } from '../config';

// No test of this kind advances a clock, so the peers need not run.
const nowhere = 'unix:/nowhere.sock';

/** The configuration of an identity without peers, with cheap password hashes. */
export function identityTestConfiguration(): IdentityConfiguration {
  return testServiceConfiguration('identity', {
    API_KEY_PEPPER: 'a pepper of at least 32 characters',
    DATA_KEYS: [{ id: 'test', bytes: Buffer.alloc(32, 1) }],
    AUDIT_LOG: 'none',
    RETENTION_AUDIT_DAYS: 400,
    RETENTION_REQUESTS: 7,
    JUMP_LEASE_MS: 1_000,
    PASSWORD_HASH_COST: 10,
    CUSTOMER_ADDRESS: nowhere,
    CATALOG_ADDRESS: nowhere,
    CHECKOUT_ADDRESS: nowhere,
    DISCOUNT_ADDRESS: nowhere,
    SUBSCRIPTION_ADDRESS: nowhere,
    METERING_ADDRESS: nowhere,
    NOTIFIER_ADDRESS: nowhere,
  });
}

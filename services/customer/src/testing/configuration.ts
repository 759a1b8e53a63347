import { testServiceConfiguration } from '@billing/chassis/testing';
import type { CustomerConfiguration } from '../config';

const nowhere = 'unix:/nowhere.sock';

/** The configuration of a customer service; its peers run nowhere, unless `peersAt` says where. */
export function customerTestConfiguration(
  peersAt = nowhere,
  siteUrl = 'http://127.0.0.1:3000',
): CustomerConfiguration {
  return testServiceConfiguration('customer', {
    HOSTED_PAGE_URL: siteUrl,
    HOSTED_PAGE_SECRET: 's'.repeat(32),
    CHECKOUT_ADDRESS: peersAt,
    SUBSCRIPTION_ADDRESS: peersAt,
    METERING_ADDRESS: peersAt,
    NOTIFIER_ADDRESS: peersAt,
    IDENTITY_ADDRESS: peersAt,
  });
}

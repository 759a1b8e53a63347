import { declined } from './port/decline';
import type { PaymentProvider } from './port/payment-provider';

const failed = declined('no_payment_provider', undefined);

/**
 * Adapter for environments without a provider: every charge fails softly, and no authorization is
 * known.
 */
export const noProvider: PaymentProvider = {
  name: 'none',
  cardEntry: { kind: 'NONE' },
  charge: () => Promise.resolve(failed),
  findCharge: () => Promise.resolve(undefined),
  continueCharge: () => Promise.resolve(failed),
  cancelCharge: () => Promise.resolve(failed),
  resolveAuthorization: () => Promise.resolve(undefined),
  expiryOf: () => Promise.resolve(undefined),
  detach: () => Promise.resolve(),
  refund: () => Promise.reject(new Error('No charge exists without a provider')),
  findRefund: () => Promise.resolve(undefined),
  listRefunds: () => Promise.resolve([]),
  findDispute: () => Promise.resolve(undefined),
};

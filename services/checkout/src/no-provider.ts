import type { ChargeOutcome, PaymentProvider } from './payment-provider';

const failed: ChargeOutcome = {
  status: 'FAILED',
  failureCode: 'no_payment_provider',
  providerPaymentId: undefined,
};

/** Stands where no provider is configured: every charge fails, softly, and no authorisation is known. */
export const noProvider: PaymentProvider = {
  name: 'none',
  charge: () => Promise.resolve(failed),
  findCharge: () => Promise.resolve(undefined),
  resolveAuthorization: () => Promise.resolve(undefined),
};

import type { Callers } from '@billing/chassis/callers';
import type { DiscountServiceServer } from '@billing/proto/billing/discount/v1/discount';

// Which services may call each method of this one where certificates say who calls.

export const discountCallers: Callers<DiscountServiceServer> = {
  createDiscount: ['gateway'],
  getDiscount: ['gateway', 'checkout'],
  listDiscounts: ['gateway'],
  updateDiscount: ['gateway'],
  validateCode: ['gateway'],
  reserveRedemption: ['checkout', 'subscription'],
  confirmRedemption: ['checkout', 'subscription'],
  releaseRedemption: ['checkout', 'subscription'],
};

import type { Callers } from '@billing/chassis/callers';
import type { DiscountServiceServer } from '@billing/proto/billing/discount/v1/discount';

// Services that may call each method, if certificates identify the caller.

export const discountCallers: Callers<DiscountServiceServer> = {
  createDiscount: ['gateway'],
  getDiscount: ['gateway', 'checkout'],
  listDiscounts: ['gateway'],
  updateDiscount: ['gateway'],
  validateCode: ['gateway', 'checkout'],
  quoteRedemption: ['checkout', 'subscription'],
  reserveRedemption: ['checkout', 'subscription'],
  confirmRedemption: ['checkout', 'subscription'],
  releaseRedemption: ['checkout', 'subscription'],
};

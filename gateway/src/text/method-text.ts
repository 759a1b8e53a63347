import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Label of a card: `Visa ending in 4242`. */
export function methodText({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): string {
  const name = brands[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
  return `${name} ending in ${last4}`;
}

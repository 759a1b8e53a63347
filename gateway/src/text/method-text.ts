import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Expiry of a card: `expires 04/2031`, or `expired 04/2021`; undefined if it is unknown. */
export function expiryText(
  { expiry }: Pick<PaymentMethod, 'expiry'>,
  now: Date,
): { readonly text: string; readonly isExpired: boolean } | undefined {
  if (expiry === undefined) return undefined;
  const { month, year } = expiry;
  const isExpired = Date.UTC(year, month, 1) <= now.getTime();
  const date = `${String(month).padStart(2, '0')}/${String(year)}`;
  return { text: `${isExpired ? 'expired' : 'expires'} ${date}`, isExpired };
}

/** Label of a card: `Visa ending in 4242`. */
export function methodText({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): string {
  const name = brands[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
  return `${name} ending in ${last4}`;
}

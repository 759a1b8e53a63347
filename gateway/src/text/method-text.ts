import { brandName } from '@billing/presentation/card-text';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import type { Shown } from '@billing/documents/reader';
import { say } from '@billing/documents/say';

/** Expiry of a card: `Expires 04/2031.`, or `Expired 04/2021.`; undefined if unknown. */
export function expiryText(
  { expiry }: Pick<PaymentMethod, 'expiry'>,
  now: Date,
): { readonly text: Shown; readonly isExpired: boolean } | undefined {
  if (expiry === undefined) return undefined;
  const { month, year } = expiry;
  const isExpired = Date.UTC(year, month, 1) <= now.getTime();
  const date = `${String(month).padStart(2, '0')}/${String(year)}`;
  return { text: say(isExpired ? 'card.expired' : 'card.expires', { date }), isExpired };
}

/** Label of a card: `Visa ending in 4242`. */
export function methodText({ brand, last4 }: Pick<PaymentMethod, 'brand' | 'last4'>): Shown {
  return say('card.endingIn', { brand: brandName(brand), last4 });
}

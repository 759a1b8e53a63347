import { type Currency, exponentOf } from '@billing/kernel/currency';

/** Currencies for which Stripe deviates from ISO 4217: digits after the point. */
const ownExponents: Partial<Record<Currency, number>> = { ISK: 2, MGA: 0, UGX: 2 };

/** Stripe's card networks support two digits at most; a third one must be 0. */
const networkExponentMax = 2;
const stripeExponentMax = 3;

/**
 * Converts an amount to Stripe's units; undefined if it cannot be expressed exactly. Stripe itself
 * decides about unsupported currencies and the limits of amounts.
 */
export function toStripeAmount(amount: bigint, currency: Currency): number | undefined {
  const ours = exponentOf(currency);
  if (ours > stripeExponentMax) return undefined;
  const theirs = ownExponents[currency] ?? ours;
  const scaled = scale(amount, theirs - ours);
  if (scaled === undefined || scaled > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  if (theirs > networkExponentMax && scaled % 10n !== 0n) return undefined;
  // Exact within the safe integers. Stripe's library accepts no bigint.
  return Number(scaled);
}

/** Converts an amount in Stripe's units. Parts of our smallest unit are dropped. */
export function fromStripeAmount(amount: number, currency: Currency): bigint {
  const ours = exponentOf(currency);
  const digits = ours - (ownExponents[currency] ?? ours);
  const sent = BigInt(amount);
  return digits >= 0 ? sent * 10n ** BigInt(digits) : sent / 10n ** BigInt(-digits);
}

function scale(amount: bigint, digits: number): bigint | undefined {
  if (digits >= 0) return amount * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(-digits);
  return amount % unit === 0n ? amount / unit : undefined;
}

import { type Currency, exponentOf } from '@billing/kernel/currency';

/** Where Stripe counts other units than ISO 4217 does: digits after the point. */
const ownExponents: Partial<Record<Currency, number>> = { ISK: 2, MGA: 0, UGX: 2 };

/** Stripe's card networks know two digits at most; it keeps a third one, which has to be 0. */
const networkExponentMax = 2;
const stripeExponentMax = 3;

/**
 * An amount in the units that Stripe counts in; undefined where it cannot be said there exactly. Whether Stripe takes the currency at
 * all, and how little or much of it, is for Stripe to say.
 */
export function toStripeAmount(amount: bigint, currency: Currency): number | undefined {
  const ours = exponentOf(currency);
  if (ours > stripeExponentMax) return undefined;
  const theirs = ownExponents[currency] ?? ours;
  const scaled = scale(amount, theirs - ours);
  if (scaled === undefined || scaled > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  if (theirs > networkExponentMax && scaled % 10n !== 0n) return undefined;
  // Exact: within the safe integers. Stripe's library takes no bigint.
  return Number(scaled);
}

function scale(amount: bigint, digits: number): bigint | undefined {
  if (digits >= 0) return amount * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(-digits);
  return amount % unit === 0n ? amount / unit : undefined;
}

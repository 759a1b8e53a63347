import { type Decimal, roundedQuotient } from '../decimal';

/** Exact part of a span of time: `numerator` of `denominator` milliseconds. */
export interface Share {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A half-open span of time, [from, to), in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The share that `part` has of `whole`, at most all of it. */
export function shareOf(part: TimeSpan, whole: TimeSpan): Share {
  if (part.to < part.from || whole.to < whole.from) throw new Error('A span ends before it starts');
  const lengths = [part, whole].map(({ from, to }) => to - from);
  return { numerator: BigInt(Math.min(...lengths)), denominator: BigInt(whole.to - whole.from) };
}

/**
 * Part of an amount, rounded half up, once. A span without length provides nothing, so its part is
 * 0. Throws an Error for a negative amount.
 */
export function partOf(amount: Decimal, { numerator, denominator }: Share): bigint {
  if (amount.unscaled < 0n) throw new Error(`A negative amount has no part: ${amount.toString()}`);
  if (denominator === 0n) return 0n;
  const divisor = denominator * 10n ** BigInt(amount.scale);
  return roundedQuotient(amount.unscaled * numerator, divisor);
}

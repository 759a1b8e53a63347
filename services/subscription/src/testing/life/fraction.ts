/** An exact quotient; the denominator is above 0. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export const none: Fraction = { over: 0n, under: 1n };

export function fraction(over: bigint, under = 1n): Fraction {
  const by = greatestDivisor(over < 0n ? -over : over, under);
  return { over: over / by, under: under / by };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.over * b.under + b.over * a.under, a.under * b.under);
}

export function minus(a: Fraction, b: Fraction): Fraction {
  return plus(a, { over: -b.over, under: b.under });
}

export function times(a: Fraction, b: Fraction): Fraction {
  return fraction(a.over * b.over, a.under * b.under);
}

export function dividedBy(a: Fraction, b: Fraction): Fraction {
  const sign = b.over < 0n ? -1n : 1n;
  return fraction(sign * a.over * b.under, sign * a.under * b.over);
}

export function least(a: Fraction, b: Fraction): Fraction {
  return minus(a, b).over < 0n ? a : b;
}

export function sumOf(all: readonly Fraction[]): Fraction {
  return all.reduce(plus, none);
}

/** The distance of a fraction from a whole number, to compare with a limit. */
export function isWithin(a: Fraction, whole: bigint, limit: bigint): boolean {
  const { over, under } = minus(a, fraction(whole));
  return (over < 0n ? -over : over) <= limit * under;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? (a === 0n ? 1n : a) : greatestDivisor(b, a % b);
}

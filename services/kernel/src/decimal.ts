import { invalidInput } from './domain-error';

/** Maximum number of decimals of an input. Results of arithmetic may have more and stay exact. */
export const DECIMAL_PLACES_MAX = 12;

// Twice the digits of the largest quantity. No real input is longer, and parsing takes more than
// linear time.
const INTEGER_DIGITS_MAX = 32;

const DECIMAL = new RegExp(
  `^(-?)(0|[1-9]\\d{0,${String(INTEGER_DIGITS_MAX - 1)}})(?:\\.(\\d{1,${String(DECIMAL_PLACES_MAX)}}))?$`,
);

/** Nearest integer to a fraction; a half is rounded away from zero, for negatives too. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [above, below] = [magnitudeOf(dividend), magnitudeOf(divisor)];
  const rounded = (2n * above + below) / (2n * below);
  return isNegative ? -rounded : rounded;
}

function magnitudeOf(number: bigint): bigint {
  return number < 0n ? -number : number;
}

/**
 * Exact decimal number, `unscaled` × 10^-`scale`. It is immutable and always in lowest terms (no
 * trailing zeros, one zero), so equal numbers have equal fields. There is no division, since its
 * result need not be a decimal.
 */
export class Decimal {
  private constructor(
    readonly unscaled: bigint,
    readonly scale: number,
  ) {}

  /**
   * Creates `unscaled` × 10^-`scale`. Throws an Error for a scale that is negative or not whole.
   */
  static of(unscaled: bigint, scale = 0): Decimal {
    if (!Number.isSafeInteger(scale) || scale < 0) {
      throw new Error(`A scale is a whole number from 0 on, not ${String(scale)}`);
    }
    let digits = unscaled;
    let places = scale;
    while (places > 0 && digits % 10n === 0n) {
      digits /= 10n;
      places -= 1;
    }
    return new Decimal(digits, places);
  }

  /**
   * Parses plain notation: an optional minus, an integer of at most 32 digits without leading
   * zeros, at most 12 decimals. Any other text (a plus, spaces, separators, exponents) throws
   * invalid_input under `field`.
   */
  static parse(text: string, field = 'amount'): Decimal {
    const match = DECIMAL.exec(text);
    if (match === null) throw invalidInput({ [field]: ['Invalid decimal'] });
    const [, sign = '', integer = '', decimals = ''] = match;
    const magnitude = BigInt(integer + decimals);
    return Decimal.of(sign === '-' ? -magnitude : magnitude, decimals.length);
  }

  /** Exact sum. */
  add(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return Decimal.of(this.unscaledAt(scale) + other.unscaledAt(scale), scale);
  }

  /** Exact difference, `this` minus `other`. */
  subtract(other: Decimal): Decimal {
    return this.add(new Decimal(-other.unscaled, other.scale));
  }

  /** Exact product, with up to as many decimals as both factors together. */
  multiply(other: Decimal): Decimal {
    return Decimal.of(this.unscaled * other.unscaled, this.scale + other.scale);
  }

  /** -1, 0 or 1: below, equal to or above `other`. */
  compare(other: Decimal): -1 | 0 | 1 {
    const scale = Math.max(this.scale, other.scale);
    const [left, right] = [this.unscaledAt(scale), other.unscaledAt(scale)];
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }

  /**
   * Number of steps of `step` up to this number, rounded up: 25 takes 3 steps of 10. Numbers up to
   * 0 take none. Throws an Error for a step that is not above 0.
   */
  stepsOf(step: Decimal): bigint {
    if (step.unscaled <= 0n) throw new Error(`A step is above 0, not ${step.toString()}`);
    if (this.unscaled <= 0n) return 0n;
    const scale = Math.max(this.scale, step.scale);
    const [whole, part] = [this.unscaledAt(scale), step.unscaledAt(scale)];
    return (whole + part - 1n) / part;
  }

  /** Nearest integer; a half is rounded away from zero, for negatives too. */
  roundHalfUp(): bigint {
    return roundedQuotient(this.unscaled, powerOfTen(this.scale));
  }

  /** Canonical plain notation, such as `-0.25`; equal numbers have equal texts. */
  toString(): string {
    const sign = this.unscaled < 0n ? '-' : '';
    const digits = (this.unscaled < 0n ? -this.unscaled : this.unscaled)
      .toString()
      .padStart(this.scale + 1, '0');
    if (this.scale === 0) return sign + digits;
    return `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`;
  }

  private unscaledAt(scale: number): bigint {
    return this.unscaled * powerOfTen(scale - this.scale);
  }
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

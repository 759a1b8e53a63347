import { Decimal } from '../decimal';
import { invalidInput } from '../domain-error';

/** Maximum number of units. */
export const UNITS_MAX = Decimal.of(10n ** 15n);

const ZERO = Decimal.of(0n);

/**
 * Parses a number of units, possibly fractional: 0 to `UNITS_MAX`, at most 12 decimals. Any other
 * text throws invalid_input under `field`.
 */
export function parseUnits(text: string, field = 'quantity'): Decimal {
  const units = Decimal.parse(text, field);
  if (units.compare(ZERO) < 0 || units.compare(UNITS_MAX) > 0) {
    throw invalidInput({ [field]: [`Must be between 0 and ${UNITS_MAX.toString()}`] });
  }
  return units;
}

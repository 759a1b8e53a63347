import { Decimal } from './decimal';
import { invalidInput } from './domain-error';

/** The largest number of units that anything is counted in. */
export const UNITS_MAX = Decimal.of(10n ** 15n);

const NONE = Decimal.of(0n);

/**
 * Reads a number of units, which need not be whole: 0 to `UNITS_MAX`, at most 12 decimals. Anything
 * else throws invalid_input under `field`.
 */
export function parseUnits(text: string, field = 'quantity'): Decimal {
  const units = Decimal.parse(text, field);
  if (units.compare(NONE) < 0 || units.compare(UNITS_MAX) > 0) {
    throw invalidInput({ [field]: [`Must be between 0 and ${UNITS_MAX.toString()}`] });
  }
  return units;
}

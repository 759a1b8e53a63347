import { Decimal } from '../decimal';
import { invalidInput } from '../domain-error';
import { AMOUNT_MAX } from '../money';

const MIN = Decimal.of(0n);
const MAX = Decimal.of(AMOUNT_MAX);

/**
 * Parses a price per unit in minor units, which may be a fraction: 0 to `AMOUNT_MAX`, at most 12
 * decimals. Any other text throws invalid_input under `field`.
 */
export function parseRate(text: string, field = 'unitAmount'): Decimal {
  const rate = Decimal.parse(text, field);
  if (rate.compare(MIN) < 0 || rate.compare(MAX) > 0) {
    throw invalidInput({ [field]: [`Must be between 0 and ${MAX.toString()}`] });
  }
  return rate;
}

// More decimals than a rate times a quantity can have.
const decimals = 30;

/** The fixed-point representation of 1. */
export const one = 10n ** BigInt(decimals);

/** Converts a decimal text to an integer, for exact sums and comparisons. */
export function fixedPoint(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(decimals, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

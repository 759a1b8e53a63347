// More decimals than a rate times a quantity can have.
const decimals = 30;

/** What stands for 1. */
export const one = 10n ** BigInt(decimals);

/** A decimal text as a whole number, to be added and compared exactly. */
export function fixedPoint(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(decimals, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

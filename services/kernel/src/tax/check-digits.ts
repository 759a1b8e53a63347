/** Σ of digit × weight; digits beyond the weights do not count. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * digitAt(digits, index), 0);
}

/** Digit at a position. */
export function digitAt(digits: string, index: number): number {
  return Number.parseInt(digits.charAt(index), 10);
}

/** True if the digits pass the Luhn formula (ISO/IEC 7812-1). */
export function isLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number.parseInt(digit, 10) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** True if the digits pass MOD 11,10 of ISO 7064. */
export function isMod11And10(digits: string): boolean {
  const product = Array.from(digits.slice(0, -1)).reduce((carried, digit) => {
    const sum = (Number.parseInt(digit, 10) + carried) % 10;
    return (2 * (sum === 0 ? 10 : sum)) % 11;
  }, 10);
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** True if the text passes MOD 97-10 of ISO 7064; A counts as 10, Z as 35. */
export function isMod97(text: string): boolean {
  const digits = Array.from(text, (character) => Number.parseInt(character, 36).toString()).join(
    '',
  );
  return BigInt(digits) % 97n === 1n;
}

/**
 * Check digit of a weighted sum modulo 11; 11 counts as 0. Undefined for 10, which no number has.
 */
export function mod11CheckDigit(digits: string, weights: readonly number[]): number | undefined {
  const check = 11 - (weightedSum(digits, weights) % 11);
  if (check === 10) return undefined;
  return check === 11 ? 0 : check;
}

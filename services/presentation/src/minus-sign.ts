/** Writes the sign of a formatted number as a minus sign, where the locale has a hyphen. */
export function withMinusSign(formatted: string): string {
  return formatted.replace('-', '\u2212');
}

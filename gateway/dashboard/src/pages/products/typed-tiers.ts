/**
 * Parses tiers, one per line: upper bound, price per unit, and an optional flat fee. The bound of
 * the last line is empty or `-`. Invalid input is sent unchanged, so that the server reports the
 * error.
 */
export function typedTiers(text: string) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [upTo = '', unitAmount = '', flatAmount] = line.split(',').map((part) => part.trim());
      const isOpen = upTo === '' || upTo === '-';
      return {
        upTo: isOpen ? null : upTo,
        unitAmount,
        ...(flatAmount !== undefined && { flatAmount }),
      };
    });
}

/** Formats tiers as lines for editing. */
export function tiersToType(
  tiers: readonly {
    readonly upTo: string | null;
    readonly unitAmount: string;
    readonly flatAmount: string;
  }[],
): string {
  return tiers
    .map(({ upTo, unitAmount, flatAmount }) => [upTo ?? '-', unitAmount, flatAmount].join(', '))
    .join('\n');
}

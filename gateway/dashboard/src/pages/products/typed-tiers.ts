/**
 * Tiers as somebody types them, one a line: up to how many units, the rate of each, and a flat amount where there is one. The last line's
 * bound is empty or `-`. What is typed wrongly goes to the server as it is, which says what is wrong.
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

/** Tiers as they would be typed. */
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

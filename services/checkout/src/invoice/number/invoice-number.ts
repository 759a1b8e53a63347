/** Number after the highest one taken; the first is 1. */
export function nextInvoiceNumber(highestTaken: number | undefined): number {
  return (highestTaken ?? 0) + 1;
}

/** How a number is shown in addition to its counter. */
export interface NumberStyle {
  /** Prefix of the seller; absent: the usual one. */
  readonly prefix?: string | undefined;
  /** Code of the restore whose series has the number; absent: the series before any restore. */
  readonly series?: string | undefined;
}

/**
 * `INV-000001`, or with the prefix of the seller; after a restore `INV-WH5C2-000001`. Numbers above
 * 999,999 grow longer.
 */
export function formatInvoiceNumber(
  number: number,
  { prefix = 'INV-', series }: NumberStyle = {},
): string {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`An invoice number is a whole number from 1 on, not ${String(number)}`);
  }
  const ofSeries = series === undefined ? '' : `${series}-`;
  return `${prefix}${ofSeries}${String(number).padStart(6, '0')}`;
}

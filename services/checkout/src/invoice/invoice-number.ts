/** Number after the highest one taken; the first is 1. */
export function nextInvoiceNumber(highestTaken: number | undefined): number {
  return (highestTaken ?? 0) + 1;
}

/** `INV-000001`, or with the prefix of the seller; numbers above 999,999 grow longer. */
export function formatInvoiceNumber(number: number, prefix = 'INV-'): string {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`An invoice number is a whole number from 1 on, not ${String(number)}`);
  }
  return `${prefix}${String(number).padStart(6, '0')}`;
}

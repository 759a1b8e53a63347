/** Number after the highest one taken; the first is 1. */
export function nextInvoiceNumber(highestTaken: number | undefined): number {
  return (highestTaken ?? 0) + 1;
}

/** `INV-000001`; numbers above 999,999 grow longer. */
export function formatInvoiceNumber(number: number): string {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`An invoice number is a whole number from 1 on, not ${String(number)}`);
  }
  return `INV-${String(number).padStart(6, '0')}`;
}

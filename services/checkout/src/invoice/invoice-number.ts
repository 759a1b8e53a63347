/** Number after the highest one taken; the first is 1. */
export function nextInvoiceNumber(highestTaken: number | undefined): number {
  return (highestTaken ?? 0) + 1;
}

/** Prefix of invoice numbers where the seller has set none. */
export const INVOICE_PREFIX_USUAL = 'INV-';

/** `INV-000001`; numbers above 999,999 grow longer. */
export function formatInvoiceNumber(number: number, prefix = INVOICE_PREFIX_USUAL): string {
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`An invoice number is a whole number from 1 on, not ${String(number)}`);
  }
  return `${prefix}${String(number).padStart(6, '0')}`;
}

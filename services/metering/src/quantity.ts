import { Decimal } from '@billing/kernel/decimal';

/** Parses a decimal; undefined if the text is not a number. */
export function numberIn(text: string | null): Decimal | undefined {
  if (text === null) return undefined;
  try {
    return Decimal.parse(text, 'quantity');
  } catch {
    return undefined;
  }
}

import { Decimal } from '@billing/kernel/decimal';

/** The number that a text stands for; undefined where it stands for none. */
export function numberIn(text: string | null): Decimal | undefined {
  if (text === null) return undefined;
  try {
    return Decimal.parse(text, 'quantity');
  } catch {
    return undefined;
  }
}

const radix = 36;

/** Text of a number, padded so that texts of one width sort as their numbers. */
export function sortableNumber(number: number, width: number): string {
  const text = number.toString(radix).padStart(width, '0');
  if (!Number.isSafeInteger(number) || number < 0 || text.length > width) {
    throw new Error(`No sortable number of ${String(width)} digits: ${String(number)}`);
  }
  return text;
}

export function fromSortableNumber(text: string): number {
  const number = Number.parseInt(text, radix);
  if (!/^[0-9a-z]+$/.test(text)) throw new Error(`No sortable number: ${text}`);
  return number;
}

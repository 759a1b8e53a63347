/** A sum of amounts: a number as anywhere in the API, and decimal text where it is too large for an exact one. */
export function toJsonSum(amount: bigint): number | string {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

/** Converts a sum of amounts to a number, or to decimal text if a number would be inexact. */
export function toJsonSum(amount: bigint): number | string {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

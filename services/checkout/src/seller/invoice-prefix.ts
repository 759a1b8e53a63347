/** True if numbers with the prefix could look like those of a restore. */
export function looksLikeSeries(prefix: string, codes: readonly string[]): boolean {
  return codes.some((code) => prefix.endsWith(`${code}-`));
}

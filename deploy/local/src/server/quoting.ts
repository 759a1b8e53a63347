/** Quotes a text as a value in PostgreSQL's settings, where backslashes count, too. */
export function quotedSetting(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Quotes a text as one word for the shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

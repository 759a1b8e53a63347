/** Indented JSON; any other text unchanged. */
export function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

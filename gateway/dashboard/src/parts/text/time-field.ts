// A datetime-local field has no time zone. Its value is UTC, and its label says so. Texts about a
// typed time show it in UTC, too; other displayed times are those of the reader.

/** Value of such a field for the API; undefined if the field is empty. */
export function fromTimeField(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${text.length === 16 ? `${text}:00` : text}Z`;
}

/** A time as the value of such a field. */
export function toTimeField(time: string): string {
  return time.slice(0, 19);
}

// Clocks of sandboxes, and starts and changes of subscriptions, whose periods begin in UTC, are
// typed in UTC. The label of the field says so, and texts about the typed time show it in UTC, too.

/** Value of such a field for the API; undefined if the field is empty. */
export function fromTimeField(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${text.length === 16 ? `${text}:00` : text}Z`;
}

/** A time as the value of such a field. */
export function toTimeField(time: string): string {
  return time.slice(0, 19);
}

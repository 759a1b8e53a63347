// A date-time field of the browser knows no zone: what it holds is UTC here, as all that is shown.

/** What such a field holds, as the API takes it; undefined where it is not filled in. */
export function fromTimeField(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${text.length === 16 ? `${text}:00` : text}Z`;
}

/** A time as such a field takes it. */
export function toTimeField(time: string): string {
  return time.slice(0, 19);
}

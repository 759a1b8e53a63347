import { fromTimeField } from './time-field';

// Times are typed in the reader's time zone, as they are shown. The API and the address of a page
// have them in UTC.

/** The typed value of a datetime-local field in UTC; empty for an empty or unfinished one. */
export function fromLocalField(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** A time as the value of such a field; empty for something else. */
export function toLocalField(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  const two = (part: number) => String(part).padStart(2, '0');
  const year = String(date.getFullYear()).padStart(4, '0');
  const day = `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

/** Time of a field of a form; undefined if the field is empty. */
export function typedTime(text: string | undefined): string | undefined {
  return text === undefined ? undefined : fromLocalField(text);
}

/**
 * Time of a field of a form that had a time before, which stays unless the text was changed: at the
 * end of summer time two times have one text. Null if the field is empty.
 */
export function changedTime(text: string | undefined, before: string | null): string | null {
  if (before !== null && text === toLocalField(before)) return before;
  return typedTime(text) ?? null;
}

/** Time of a filter in the address. One without a time zone, of an earlier link, is in UTC. */
export function filterTime(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? (fromTimeField(text) ?? '') : text;
}

import { fromTimeField } from './time-field';

// Filters are typed in the reader's time zone, as the rows that they find are shown. The address of
// the page has the time in UTC.

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
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Time of a filter in the address. One without a time zone, of an earlier link, is in UTC. */
export function filterTime(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? (fromTimeField(text) ?? '') : text;
}

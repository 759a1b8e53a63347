import type { Shown } from '../reader';

/** A value with each of its texts as a reader of English sees it. */
export function english(value: unknown): unknown {
  if (typeof value === 'function') return (value as Shown)({ locale: 'en' });
  if (Array.isArray(value)) return value.map(english);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, english(part)]));
}

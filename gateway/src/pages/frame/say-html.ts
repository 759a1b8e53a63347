import { type PhraseKey, say } from '@billing/documents/say';
import type { Text } from '@billing/documents/reader';
import { Html, type HtmlValue } from './html';

const open = '\uE000';
const close = '\uE001';
const marker = new RegExp(`${open}(\\w+)${close}`);

/** Text of the catalogue with markup in place of some of its values, such as a date in bold. */
export function sayHtml(
  key: PhraseKey,
  values: Readonly<Record<string, Html | Text | number>>,
): HtmlValue {
  const marked = Object.entries(values).map(
    ([name, value]) => [name, value instanceof Html ? `${open}${name}${close}` : value] as const,
  );
  const text = say(key, Object.fromEntries(marked));
  // The odd parts are the names of markup.
  return (reader) =>
    text(reader)
      .split(marker)
      .map((part, index) => (index % 2 === 0 ? part : (values[part] as Html)));
}

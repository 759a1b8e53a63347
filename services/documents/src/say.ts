import { phrase, type PhraseKey } from '@billing/presentation/phrase';
import { type Shown, type Text, textFor } from './reader';

export type { PhraseKey };

/** Text of the catalogue, composed in the language of its reader. Numbers choose plural forms. */
export function say(key: PhraseKey, values: Readonly<Record<string, Text | number>> = {}): Shown {
  return (reader) => {
    const entries = Object.entries(values).map(
      ([name, value]) =>
        [name, typeof value === 'number' ? value : textFor(value, reader)] as const,
    );
    return phrase(key, reader.locale, Object.fromEntries(entries));
  };
}

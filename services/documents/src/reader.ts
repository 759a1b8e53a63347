/** The person that reads a page or a document. */
export interface Reader {
  /** Supported locale: its language chooses the texts, the whole tag chooses formats. */
  readonly locale: string;
  /** Locale that the reader has chosen on the page, which its links and forms keep. */
  readonly chosenLocale?: string | undefined;
}

/** Text that is composed once its reader is known. */
export type Shown = (reader: Reader) => string;

/** A text as it is, such as a name, or one that is composed for its reader. */
export type Text = string | Shown;

/** A text as its reader sees it. */
export function textFor(text: Text, reader: Reader): string {
  return typeof text === 'string' ? text : text(reader);
}

/** Texts one after another, such as `a, b`; the separator is the same in all languages. */
export function joined(texts: readonly Text[], separator: string): Shown {
  return (reader) => texts.map((text) => textFor(text, reader)).join(separator);
}

import type { Reader } from '@billing/documents/reader';

/** Safe markup. Only the tag below creates it, so that no text reaches a page unescaped. */
export class Html {
  // Private members make the type nominal.
  readonly #strings: readonly string[];
  readonly #values: readonly HtmlValue[];

  private constructor(strings: readonly string[], values: readonly HtmlValue[]) {
    this.#strings = strings;
    this.#values = values;
  }

  static of(strings: readonly string[], values: readonly HtmlValue[]): Html {
    return new Html(compact(strings), values);
  }

  /** Markup as its reader sees it. */
  for(reader: Reader): string {
    const values = this.#values.map((value) => Html.render(value, reader));
    return this.#strings.map((text, index) => text + (values[index] ?? '')).join('');
  }

  private static render(value: HtmlValue, reader: Reader): string {
    if (value === undefined || value === false) return '';
    if (value instanceof Html) return value.for(reader);
    if (typeof value === 'string') return escaped(value);
    if (typeof value === 'function') return Html.render(value(reader), reader);
    return value.map((one) => Html.render(one, reader)).join('');
  }
}

const compacted = new WeakMap<readonly string[], readonly string[]>();

/** Markup of a template without its indentation, which would be a tenth of a page. */
function compact(strings: readonly string[]): readonly string[] {
  const known = compacted.get(strings) ?? strings.map((text) => text.replace(/\n\s+/g, '\n'));
  compacted.set(strings, known);
  return known;
}

/** Value of a template: nothing, text, markup, one composed for its reader, or a list of these. */
export type HtmlValue =
  undefined | false | string | Html | ((reader: Reader) => HtmlValue) | readonly HtmlValue[];

/**
 * Markup with values in it: html`<p title="${title}">${text}</p>`. Texts are escaped for content
 * and for quoted attributes, which is where values stand; never in a script, a style, or an
 * attribute without quotes. An address goes through `href` below.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.of(strings, values);
}

/** URL of a link; `about:blank` in place of a URL that would run a script. */
export function href(address: string): string {
  return /^(https?:\/\/|\/)/i.test(address) ? address : 'about:blank';
}

/** Address of a page of the gateway, with the locale that the reader has chosen. */
export function local(address: string): (reader: Reader) => string {
  return ({ chosenLocale }) => withLocale(address, chosenLocale);
}

/** Adds a chosen locale to the address of a page of the gateway. */
export function withLocale(address: string, chosenLocale: string | undefined): string {
  if (chosenLocale === undefined) return address;
  const [path = '', fragment] = address.split('#', 2);
  const separator = path.includes('?') ? '&' : '?';
  const target = `${path}${separator}locale=${chosenLocale}`;
  return fragment === undefined ? target : `${target}#${fragment}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

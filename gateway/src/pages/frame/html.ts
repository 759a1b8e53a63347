/** Safe markup. Only the tag below creates it, so that no text reaches a page unescaped. */
export class Html {
  // A private member makes the type nominal.
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  static of(strings: readonly string[], values: readonly HtmlValue[]): Html {
    const parts = compact(strings).map((text, index) => text + Html.render(values[index]));
    return new Html(parts.join(''));
  }

  toString(): string {
    return this.#markup;
  }

  private static render(value: HtmlValue): string {
    if (value === undefined || value === false) return '';
    if (value instanceof Html) return value.#markup;
    if (typeof value === 'string') return escaped(value);
    return value.map((one) => Html.render(one)).join('');
  }
}

const compacted = new WeakMap<readonly string[], readonly string[]>();

/** Markup of a template without its indentation, which would be a tenth of a page. */
function compact(strings: readonly string[]): readonly string[] {
  const known = compacted.get(strings) ?? strings.map((text) => text.replace(/\n\s+/g, '\n'));
  compacted.set(strings, known);
  return known;
}

/** Value of a template: nothing, text, markup, or a list of these. */
export type HtmlValue = undefined | false | string | Html | readonly HtmlValue[];

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

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

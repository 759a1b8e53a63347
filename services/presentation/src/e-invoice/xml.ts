/** An XML element. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlElement[];
}

type Content = string | undefined | readonly (XmlElement | undefined)[];

// Characters that XML 1.0 cannot represent, not even escaped.
const unrepresentable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Element with its content; undefined where the content is blank. */
export function element(
  name: string,
  content: Content,
  attributes: Readonly<Record<string, string>> = {},
): XmlElement | undefined {
  if (content === undefined || typeof content === 'string') {
    const text = (content ?? '').replace(unrepresentable, '').replaceAll('\r\n', '\n').trim();
    return text === '' ? undefined : { name, attributes, content: text };
  }
  const children = content.filter((child) => child !== undefined);
  return children.length === 0 ? undefined : { name, attributes, content: children };
}

/** Document with its namespaces by prefix; the empty prefix is the default namespace. */
export function xmlDocument(
  name: string,
  namespaces: Readonly<Record<string, string>>,
  children: readonly (XmlElement | undefined)[],
): string {
  const attributes = Object.fromEntries(
    Object.entries(namespaces).map(([prefix, uri]) => [
      prefix === '' ? 'xmlns' : `xmlns:${prefix}`,
      uri,
    ]),
  );
  const root = { name, attributes, content: children.filter((child) => child !== undefined) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${serialized(root, '')}`;
}

function serialized({ name, attributes, content }: XmlElement, indent: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const open = `${indent}<${name}${written.join('')}`;
  if (typeof content === 'string') return `${open}>${escaped(content)}</${name}>\n`;
  if (content.length === 0) return `${open}/>\n`;
  const children = content.map((child) => serialized(child, `${indent}  `)).join('');
  return `${open}>\n${children}${indent}</${name}>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}

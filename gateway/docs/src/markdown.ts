import MarkdownIt, { type Token } from 'markdown-it';

/** Markdown as HTML, with what other pages and the search need to know about it. */
export interface Rendered {
  readonly html: string;
  /** Ids of the headings. */
  readonly anchors: readonly string[];
  /** Targets of the links, as written. */
  readonly links: readonly string[];
  /** Languages of the blocks of code. */
  readonly languages: readonly string[];
  readonly sections: readonly Section[];
}

/** A heading and the text below it, up to the next heading. */
interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

const markdown = new MarkdownIt({ html: false });

/** Renders Markdown. Headings get ids, links to other guides the addresses of their pages. */
export function renderMarkdown(source: string): Rendered {
  const tokens = markdown.parse(source, {});
  const links = tokens.flatMap(linksOf);
  const sections = nameHeadings(tokens);
  for (const link of tokens.flatMap(({ children }) => children ?? [])) {
    const target = link.type === 'link_open' ? link.attrGet('href') : null;
    if (target !== null) link.attrSet('href', pageAddress(String(target)));
  }
  // Wide tables and code scroll in their own box, which the keyboard must reach.
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
  const fences = tokens.filter(({ type }) => type === 'fence');
  const languages = fences.map(({ info }) => info.trim());
  return { html, anchors: sections.map(({ anchor }) => anchor), links, languages, sections };
}

/** Address of the page behind a link: guides link to each other's files. */
export function pageAddress(target: string): string {
  return target.replace(/^([\w-]+)\.md(?=#|$)/, '/docs/$1');
}

/** Id of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function linksOf({ children }: Token): string[] {
  return (children ?? []).flatMap((one) => {
    const target = one.type === 'link_open' ? one.attrGet('href') : null;
    return target === null ? [] : [String(target)];
  });
}

/** Sets the ids of headings, and collects the text below each. */
function nameHeadings(tokens: readonly Token[]): Section[] {
  const sections: { anchor: string; heading: string; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    const isHeading = tokens[index - 1]?.type === 'heading_open';
    if (isHeading) {
      const heading = textOf(token);
      const anchor = unusedAnchor(anchorOf(heading), sections);
      tokens[index - 1]?.attrSet('id', anchor);
      sections.push({ anchor, heading, text: '' });
    } else {
      const section = sections.at(-1);
      const text = textOf(token).replace(/\s+/g, ' ').trim();
      if (section !== undefined && text !== '') section.text = `${section.text} ${text}`.trim();
    }
  }
  return sections;
}

function unusedAnchor(anchor: string, sections: readonly Section[]): string {
  const used = new Set(sections.map((one) => one.anchor));
  let name = anchor;
  for (let count = 1; used.has(name); count += 1) name = `${anchor}-${String(count)}`;
  return name;
}

function textOf({ type, content, children }: Token): string {
  if (type === 'fence') return content;
  return (children ?? []).map((one) => (one.type === 'softbreak' ? ' ' : one.content)).join('');
}

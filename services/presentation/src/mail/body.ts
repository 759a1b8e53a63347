import MarkdownIt from 'markdown-it';
import type { MailValues } from '../catalogue/mail-kind';
import { hasVariable, insertValues, isVariable, type MarkedText } from './template';

/** A piece of a line. */
export interface Span {
  readonly text: string;
  readonly isStrong: boolean;
  /** Address of a link; absent: no link. */
  readonly href?: string;
}

/** A block of a mail's body. A button is a paragraph that is one link to the page of the mail. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'button';
  readonly spans: readonly Span[];
}

type Parser = InstanceType<typeof MarkdownIt>;
type Token = ReturnType<Parser['parse']>[number];

const allowedAddress = /^(https|mailto):/i;

/** Parses a marked body, and inserts the values into the parsed blocks. */
export function parseBody(marked: MarkedText, values: MailValues): Block[] {
  const blocks: Block[] = [];
  let listDepth = 0;
  let isHeading = false;
  for (const token of parserOf(marked).parse(marked.source, {})) {
    if (token.type.endsWith('_list_open')) listDepth += 1;
    if (token.type.endsWith('_list_close')) listDepth -= 1;
    if (token.type === 'heading_open') isHeading = true;
    if (token.type === 'heading_close') isHeading = false;
    if (token.type !== 'inline') continue;
    const spans = spansOf(token.children ?? [], marked, values);
    if (spans.every(({ text }) => text.trim() === '')) continue;
    const kind = isHeading ? 'heading' : listDepth > 0 ? 'item' : 'paragraph';
    blocks.push({ kind: kind === 'paragraph' && isButton(token, marked) ? 'button' : kind, spans });
  }
  return blocks;
}

// Only what the contract names: no images, no code, no HTML, no addresses without a text.
function parserOf(marked: MarkedText): Parser {
  const parser = new MarkdownIt('zero', { html: false });
  parser.enable(['heading', 'list', 'emphasis', 'link', 'escape']);
  parser.normalizeLink = (address) => address;
  parser.validateLink = (address) => isAllowedAddress(address, marked);
  return parser;
}

function isAllowedAddress(address: string, marked: MarkedText): boolean {
  return hasVariable(address) ? isVariable(address, 'link', marked) : allowedAddress.test(address);
}

/** True if a marked body has a link to an address that mails do not link to. */
export function hasUnsupportedLink(marked: MarkedText): boolean {
  const parser = parserOf(marked);
  let isFound = false;
  parser.validateLink = (address) => {
    isFound ||= !isAllowedAddress(address, marked);
    return true;
  };
  parser.parse(marked.source, {});
  return isFound;
}

function isButton({ children }: Token, marked: MarkedText): boolean {
  const pieces = (children ?? []).filter(({ type, content }) => type !== 'text' || content !== '');
  const first = pieces[0];
  if (first?.type !== 'link_open' || pieces.at(-1)?.type !== 'link_close') return false;
  const links = pieces.filter(({ type }) => type === 'link_open');
  return links.length === 1 && isVariable(addressOf(first), 'link', marked);
}

function addressOf(token: Token): string {
  return String(token.attrGet('href') ?? '');
}

function spansOf(tokens: readonly Token[], marked: MarkedText, values: MailValues): Span[] {
  const spans: Span[] = [];
  let strongDepth = 0;
  let href: string | undefined;
  for (const token of tokens) {
    if (token.type === 'strong_open') strongDepth += 1;
    if (token.type === 'strong_close') strongDepth -= 1;
    if (token.type === 'link_open') href = insertValues(addressOf(token), marked, values);
    if (token.type === 'link_close') href = undefined;
    // A line break inside a paragraph is a space.
    if (token.content === '') continue;
    const text = insertValues(token.content.replaceAll('\n', ' '), marked, values);
    const span = { text, isStrong: strongDepth > 0 };
    spans.push(href === undefined || href === '' ? span : { ...span, href });
  }
  return spans;
}

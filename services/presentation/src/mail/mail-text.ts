import type { BrandColors } from '@billing/kernel/brand-colors';
import type { Block, Span } from './body';

/** The parts of a mail in the order in which both forms show them. */
export interface MailParts {
  readonly subject: string;
  readonly locale: string;
  readonly blocks: readonly Block[];
  /** Shown first; absent: nothing. */
  readonly notice: string | undefined;
  /** Lines below the content. */
  readonly footer: readonly (readonly Span[])[];
  readonly colors: BrandColors;
  /** Shown at the top of the HTML; absent: none. */
  readonly logo: ShownLogo | undefined;
}

/** An image with the name that it stands for, empty if unknown. */
export interface ShownLogo {
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** The plain text of a mail. */
export function toText({ blocks, notice, footer }: MailParts): string {
  const paragraphs = blocks.reduce<string[]>((lines, block, index) => {
    const isNextItem = block.kind === 'item' && blocks[index - 1]?.kind === 'item';
    const text = textOf(block);
    return isNextItem
      ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''}\n${text}`]
      : [...lines, text];
  }, []);
  const all = [
    ...(notice === undefined ? [] : [notice]),
    ...paragraphs,
    '--',
    footer.map(lineText).join('\n'),
  ];
  return `${all.join('\n\n')}\n`;
}

function textOf({ kind, spans }: Block): string {
  const line = spans.map(spanText).join('').trim();
  return kind === 'item' ? `- ${line}` : line;
}

function lineText(line: readonly Span[]): string {
  return line.map(spanText).join('');
}

function spanText({ text, href }: Span): string {
  return href === undefined || href === text ? text : `${text}: ${href}`;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { framed } from './frame';

/** A page of the documentation that is written in Markdown. */
export interface Guide {
  /** Path under `/docs`, and name of the file. */
  readonly name: string;
  readonly title: string;
}

/** All guides, in the order of their list. */
export const guides: readonly Guide[] = [
  { name: 'verify-webhooks', title: 'Verify webhooks' },
  { name: 'official-client', title: 'Use the official client' },
];

const folder = join(__dirname, '../../docs/guides');

/** Renders a guide. */
export function renderGuide({ name, title }: Guide): string {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8');
  const content = new MarkdownIt({ html: false }).render(text);
  return framed(title, `<p><a href="/docs">API reference</a></p>\n<main>${content}</main>`);
}

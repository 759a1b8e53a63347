import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Code blocks of a Markdown file in a language. */
export function codeBlocks(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces a text of a source file while `run` runs, and puts the file back. */
export async function withChange<T>(
  file: string,
  [text, replacement]: readonly [string, string],
  run: () => Promise<T>,
): Promise<T> {
  const source = readFileSync(file, 'utf8');
  if (!source.includes(text)) throw new Error(`${file} has no ${text}`);
  writeFileSync(file, source.replace(text, replacement));
  try {
    return await run();
  } finally {
    writeFileSync(file, source);
  }
}

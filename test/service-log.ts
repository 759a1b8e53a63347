import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const warningsMax = 50;

/** What the services themselves found wrong, the latest of it. */
export async function warningsIn({ logDir }: { logDir: string }): Promise<string[]> {
  const files = await readdir(logDir);
  const texts = files.map((file) => readFile(join(logDir, file), 'utf8'));
  const lines = (await Promise.all(texts)).join('').split('\n');
  return lines
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .slice(-warningsMax);
}

function timeOf(line: string): string {
  const [, time = ''] = /"time":"([^"]+)"/.exec(line) ?? [];
  return time;
}

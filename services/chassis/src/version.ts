import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = readFileSync(join(__dirname, '../package.json'), 'utf8');

/** Version of the product, which all its packages share. */
export const productVersion = (JSON.parse(manifest) as { version: string }).version;

/** True if a release is before another. Versions of development are never before any. */
export function isOlder(release: string, other: string): boolean {
  const [parts, otherParts] = [partsOf(release), partsOf(other)];
  if (parts === undefined || otherParts === undefined) return false;
  const difference = parts.findIndex((part, index) => part !== otherParts[index]);
  return difference >= 0 && (parts[difference] ?? 0) < (otherParts[difference] ?? 0);
}

// Pre-releases count as their release.
function partsOf(release: string): number[] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(release);
  return match?.slice(1).map(Number);
}
